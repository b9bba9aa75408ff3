import { useQueryClient } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { type AnswerOf, type CallFailed, keyOf, useAsk, useSendAlone } from '../../api.ts'

export type Whole = AnswerOf<'GET /campaigns/:campaignId'>
export type Settings = Whole['settings']
/** What each part of a campaign is given. */
export type PartProps = { read: Whole }

/** The campaign that the address names; what is no number there names none. */
export function useCampaign() {
  const campaignId = Number(useParams().campaignId) || 0
  return useAsk('GET /campaigns/:campaignId', { params: { campaignId } }, { staleMs: 5_000 })
}

type Judge = (theirs: Settings) => boolean
const never: Judge = () => false

/** Saves changed settings of a campaign over those that were read. */
export function useSaveCampaign() {
  const client = useQueryClient()
  const send = useSendAlone('PUT /campaigns/:campaignId')
  /**
   * `isApart`: what somebody else has saved meanwhile is nothing that `changes` would overwrite. `isThere`: it is
   * `changes`, from a save whose answer was lost on the way.
   */
  const save = async (read: Whole, changes: Partial<Settings>, isApart: Judge = never, isThere: Judge = never) => {
    const params = { campaignId: read.settings.id }
    const queryKey = keyOf('GET /campaigns/:campaignId', { params })
    const saveOver = ({ settings, revision }: Whole) =>
      send.mutateAsync({ params, body: { settings: { ...settings, ...changes }, revision } })
    const saved = await saveOver(read).catch(async (error: CallFailed) => {
      if (error.code !== 'CHANGED_MEANWHILE') throw error
      // What somebody else has saved is there to be seen.
      await client.invalidateQueries({ queryKey })
      const theirs = client.getQueryData<Whole>(queryKey)
      if (theirs !== undefined && isThere(theirs.settings)) {
        send.reset()
        return theirs
      }
      if (theirs === undefined || !isApart(theirs.settings)) throw error
      return saveOver(theirs)
    })
    client.setQueryData(queryKey, saved)
    // Not awaited: what was changed over must not look like somebody else's change meanwhile.
    client.invalidateQueries()
    return saved
  }
  return { save, isPending: send.isPending, error: send.error, reset: send.reset }
}
