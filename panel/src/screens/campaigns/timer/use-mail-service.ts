import { useState } from 'react'
import { type AnswerOf, useAsk } from '../../../api.ts'

export type MailService = AnswerOf<'GET /mail-services'>['services'][number]['id']

const kept = 'lastcall.mail-service'

/** The service that sends the reader's mails, as they chose it last in this browser. */
export function useMailService() {
  const asked = useAsk('GET /mail-services', {}, { staleMs: 'static' })
  const [chosen, setChosen] = useState(() => localStorage.getItem(kept))
  const choose = (id: string) => {
    localStorage.setItem(kept, id)
    setChosen(id)
  }
  const services = asked.data?.services ?? []
  const service: MailService = services.find(({ id }) => id === chosen)?.id ?? 'other'
  // Without the list, what was chosen before would be taken for another service, whose merge tags no mail is filled by.
  const isKnown = chosen === null || asked.data !== undefined
  return { service, services, choose, isKnown, asked }
}
