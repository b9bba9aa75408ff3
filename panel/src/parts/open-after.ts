import { useEffect, useState } from 'react'

/** What is `wanted`, from the second render on: a dialog or menu that is open from its first gives no focus back. */
export function useOpenAfter(wanted: boolean) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(wanted), [wanted])
  return [isOpen, setOpen] as const
}
