import { inBoth } from '../../language.ts'

/** What stands around every screen of the integrations. */
export const words = inBoth({
  en: {
    parts: 'Parts of the integrations',
    keys: 'API keys',
    webhooks: 'Webhooks',
    history: 'Requests',
    reference: 'Reference',
  },
  pl: {
    parts: 'Części integracji',
    keys: 'Klucze API',
    webhooks: 'Webhooki',
    history: 'Żądania',
    reference: 'Dokumentacja',
  },
})
