import type { Language } from '../language.ts'
import { words } from './words.ts'

/** The browser's own words for a field that is not filled in follow the browser: these follow the panel. */
export function sayFaultsIn(language: Language): () => void {
  const say = ({ target: field }: Event) => {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
    field.setCustomValidity('')
    const { missing, noEmail, tooShort } = words[language]
    const { valueMissing, typeMismatch, tooShort: isTooShort } = field.validity
    if (valueMissing) field.setCustomValidity(missing)
    else if (typeMismatch) field.setCustomValidity(noEmail)
    else if (isTooShort) field.setCustomValidity(tooShort(field.minLength))
  }
  // Or the field would stay invalid with whatever is written into it.
  const forget = ({ target: field }: Event) => {
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.setCustomValidity('')
  }
  document.addEventListener('invalid', say, true)
  document.addEventListener('input', forget, true)
  return () => {
    document.removeEventListener('invalid', say, true)
    document.removeEventListener('input', forget, true)
  }
}
