// Signals for a process and everything it forked.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

type Running = { pid: number; parent: number }

/** Every process that has not ended; one that ended and that nobody has waited for is none. */
function running(): Running[] {
  const all = process.platform === 'linux' ? fromProc() : fromPs()
  return all.filter(({ state }) => !state.startsWith('Z')).map(({ pid, parent }) => ({ pid, parent }))
}

/** Without `ps`, which small images lack. */
function fromProc() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      // the name before it may hold blanks and parentheses
      const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return [{ pid: Number(pid), parent: Number(parent), state }]
    } catch {
      return []
    }
  })
}

function fromPs() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,state='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/)
    return { pid: Number(pid), parent: Number(parent), state }
  })
}

export function childrenOf(pid: number): number[] {
  return running().flatMap((one) => (one.parent === pid ? [one.pid] : []))
}

/** A signal to one process; false if it is gone. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** Stops a process and its children where they are, and says which those are. */
export function freezeFamily(pid: number): number[] {
  const family = new Set<number>()
  // The first does not fork any more once it stands still, which may be a moment after the signal.
  for (let fresh = [pid]; fresh.length > 0; ) {
    for (const member of fresh) {
      signal(member, 'SIGSTOP')
      family.add(member)
    }
    fresh = running().flatMap((one) => (one.parent === pid && !family.has(one.pid) ? [one.pid] : []))
  }
  return [...family]
}

/** Lets a frozen process and its children go on. */
export function thawFamily(pid: number): void {
  for (const one of running()) if (one.parent === pid || one.pid === pid) signal(one.pid, 'SIGCONT')
}

/** `kill -9` for a process and its children, all of them before any can notice; waits until they are gone. */
export async function killFamily(pid: number): Promise<void> {
  const family = freezeFamily(pid)
  for (const member of family) signal(member, 'SIGKILL')
  if (!(await areGone(family, 10_000))) throw new Error(`still running after SIGKILL: ${family.join(', ')}`)
}

/** Waits until none of these processes runs; false if some still do after `limitMs`. */
export async function areGone(pids: number[], limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs
  for (;;) {
    if (!running().some(({ pid }) => pids.includes(pid))) return true
    if (performance.now() > until) return false
    await setTimeout(10)
  }
}
