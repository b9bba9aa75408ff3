// Erasing leads waits for ten seconds, in which it can be taken back; it does so wherever the reader goes.
import { type CallFailed, call } from '../../../api.ts'
import { atSignOut, stayOpen } from '../../../leaving.ts'
import { kept } from '../../../parts/listeners.ts'
import { toast } from '../../../parts/toast.tsx'

const waitsMs = 10_000

type Erasing = { campaignId: number; refs: readonly string[] }
type Said = { waits: string; undo: string; done: string; failed(error: CallFailed): void }

/** Of one erasure that has been asked for: why it failed, if it did. */
type Asked = Promise<CallFailed | undefined>

let waiting: { finish(): void; undo(): void } | undefined
/** Those that are not done yet: one after the other. */
let asked: readonly Asked[] = []
/** Those that are as good as gone: no list shows them. */
const hidden = kept<readonly string[]>([])
/** What was asked for in a session that is over is not done in the name of who goes on in another. */
let session = 0

/** The leads vanish from the lists now and are erased when the time is up, or when another erasure begins. */
export function eraseSoon({ campaignId, refs }: Erasing, said: Said, onErased: () => unknown): void {
  waiting?.finish()
  hidden.set([...hidden.get(), ...refs])
  const showAgain = () => hidden.set(hidden.get().filter((ref) => !refs.includes(ref)))
  const mayClose = stayOpen()
  const askedIn = session
  const end = () => {
    window.clearTimeout(timer)
    takeUndoAway()
    waiting = undefined
  }
  const erase = async (): Asked => {
    let failure: CallFailed | undefined
    if (askedIn === session) {
      try {
        await call('POST /campaigns/:campaignId/leads/erasure', { params: { campaignId }, body: { refs: [...refs] } })
        toast(said.done)
      } catch (error) {
        // Nor is what the session's end stopped told to who goes on.
        if (askedIn === session) {
          failure = error as CallFailed
          said.failed(failure)
        }
      }
      await onErased()
      showAgain()
    }
    mayClose()
    return failure
  }
  const finish = () => {
    end()
    // Also where the one before could not be shown.
    const done: Asked = (asked.at(-1) ?? Promise.resolve()).then(erase, erase)
    const isOver = () => {
      asked = asked.filter((one) => one !== done)
    }
    asked = [...asked, done]
    done.then(isOver, isOver)
  }
  const timer = window.setTimeout(finish, waitsMs)
  const undo = () => {
    end()
    mayClose()
    showAgain()
  }
  waiting = { finish, undo }
  const takeUndoAway = toast(said.waits, { name: said.undo, onClick: undo })
}

export const useHidden = hidden.use

/** What is waiting, or under way, is done before the session ends: the next of them. Undefined where there is none. */
export function finishErasing(): Asked | undefined {
  waiting?.finish()
  return asked[0]
}

atSignOut(() => {
  session += 1
  waiting?.undo()
  hidden.set([])
})
