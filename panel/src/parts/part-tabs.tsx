import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'

type Props = {
  label: string
  value: string
  /** By their name, with the address that each leads to. */
  tabs: { name: string; path: string; title: ReactNode }[]
}

/** The parts of a screen. Where there is no room for all they scroll sideways, and the chosen one is seen. */
export function PartTabs({ label, value, tabs }: Props) {
  const [, go] = useLocation()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const chosen = list.current?.querySelector(`[data-part="${value}"]`)
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [value])
  const open = (next: string | null) => {
    const tab = tabs.find(({ name }) => name === next)
    if (tab !== undefined) go(tab.path)
  }
  return (
    <Tabs value={value} onChange={open}>
      <Tabs.List aria-label={label} ref={list} className="part-tabs">
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name} data-part={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}
