// Escape closes what lies on top, and nothing beneath it. The library's dialogs listen at the window, each by itself.
import type { KeyboardEvent } from 'react'

/** For a dialog that something may lie over, as a question or a calendar, which closes alone. */
export const escapeOf = (onClose: () => void) => ({
  closeOnEscape: false,
  onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && event.currentTarget.contains(event.target as Node)) onClose()
  },
})

/** For a dialog that stays until it was answered: while it is open, what lies under it stays too. */
export const stays = (isOpen: boolean) => ({ 'data-stays': isOpen || undefined })

// Loaded with the panel, so that it hears of the key before any dialog does.
window.addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'Escape' && document.querySelector('[data-stays]') !== null) event.stopImmediatePropagation()
  },
  true,
)
