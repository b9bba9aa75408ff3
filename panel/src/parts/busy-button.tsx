import { Button, type ButtonProps } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

type Props = ButtonProps & { isBusy: boolean; onClick(): unknown; children: ReactNode }

/**
 * For what is only read: while it waits it is disabled, which hands the focus to the page, and then it has the focus
 * again. After changes main.tsx sees to that.
 */
export function BusyButton({ isBusy, onClick, ...props }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const wasPressed = useRef(false)
  useEffect(() => {
    if (isBusy || !wasPressed.current) return
    wasPressed.current = false
    if (document.activeElement === document.body) button.current?.focus({ preventScroll: true })
  }, [isBusy])
  const press = () => {
    wasPressed.current = true
    onClick()
  }
  return <Button ref={button} variant="default" loading={isBusy} onClick={press} {...props} />
}
