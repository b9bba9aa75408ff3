import { useState } from 'react'
import { type AnswerOf, useAsk } from '../../../api.ts'

export type MailService = AnswerOf<'GET /mail-services'>['services'][number]['id']

const kept = 'lastcall.mail-service'

/** The service that sends the reader's mails, as they chose it last in this browser. */
export function useMailService() {
  const services = useAsk('GET /mail-services', {}, { staleMs: 'static' }).data?.services
  const [chosen, setChosen] = useState(() => localStorage.getItem(kept))
  const choose = (id: string) => {
    localStorage.setItem(kept, id)
    setChosen(id)
  }
  const service: MailService = services?.find(({ id }) => id === chosen)?.id ?? 'other'
  return { service, services: services ?? [], choose }
}
