// The few pictures of the navigation, as lines in a square of 24.
const shapes = {
  overview: 'M3 11.5 12 4l9 7.5M6 9.5V20h4v-6h4v6h4V9.5',
  campaigns: 'M12 6.5V12l3.5 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  integrations: 'M8 8 4 12l4 4M16 8l4 4-4 4M13.5 5l-3 14',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  calendar: 'M5 6h14v14H5zM5 10h14M8.5 3.5V8M15.5 3.5V8',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5a7.5 7.5 0 0 1 15 0',
}

export function Icon({ name }: { name: keyof typeof shapes }) {
  const stroke = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.6, strokeLinecap: 'round' } as const
  return (
    <svg width={20} height={20} viewBox="0 0 24 24" aria-hidden {...stroke} strokeLinejoin="round">
      <path d={shapes[name]} />
    </svg>
  )
}
