import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'

type Props = {
  label: string
  value: string
  /** By their name, with the address that each leads to. */
  tabs: { name: string; path: string; title: ReactNode }[]
}

/** The parts of a screen, as links. Where there is no room for all they scroll sideways, and the chosen one is seen. */
export function PartTabs({ label, value, tabs }: Props) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>(`[data-part="${value}"]`)
    // Not by `scrollIntoView`: the next Tab would then go on from here, past all that stands before it.
    if (chosen && list.current) list.current.scrollLeft = chosen.offsetLeft - list.current.offsetLeft - 16
  }, [value])
  return (
    <Tabs value={value}>
      <Tabs.List aria-label={label} ref={list} className="part-tabs">
        {tabs.map(({ name, path, title }) => (
          <Tabs.Tab
            key={name}
            value={name}
            data-part={name}
            renderRoot={({ type: _, ...props }) => <Link {...props} href={path} />}
          >
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}
