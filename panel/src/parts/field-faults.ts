import type { Language } from '../language.ts'
import { words } from './words.ts'

const isField = (target: EventTarget | null) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

/** The browser's own words for a field that is not filled in follow the browser: these follow the panel. */
export function sayFaultsIn(language: Language): () => void {
  const ended = new AbortController()
  const options = { capture: true, signal: ended.signal }
  const say = ({ target: field }: Event) => {
    if (!isField(field)) return
    field.setCustomValidity('')
    const { missing, noEmail, tooShort } = words[language]
    const { valueMissing, typeMismatch, tooShort: isTooShort, patternMismatch } = field.validity
    if (typeMismatch) field.setCustomValidity(noEmail)
    else if (isTooShort || (patternMismatch && field.minLength > 0)) field.setCustomValidity(tooShort(field.minLength))
    else if (valueMissing || patternMismatch) field.setCustomValidity(missing)
  }
  document.addEventListener('invalid', say, options)
  // Or the field would stay invalid with whatever is written into it.
  document.addEventListener('input', ({ target }) => isField(target) && target.setCustomValidity(''), options)
  return () => ended.abort()
}
