/** The pages of help, by what they are about: one for each screen. */
export const topics = [
  ...(['overview', 'campaigns', 'results', 'rules', 'pages', 'timer', 'leads', 'person'] as const),
  ...(['keys', 'history', 'webhooks', 'reference', 'settings', 'users', 'security', 'audit'] as const),
]
export type Topic = (typeof topics)[number]

const parts: Record<string, { first: Topic; all: readonly Topic[] }> = {
  campaigns: { first: 'results', all: ['results', 'rules', 'pages', 'timer', 'leads'] },
  settings: { first: 'settings', all: ['users', 'security', 'audit'] },
  integrations: { first: 'keys', all: ['keys', 'history', 'webhooks', 'reference'] },
}

/** What helps with the screen at this address. */
export function topicOf(location: string): Topic {
  const [, screen = '', ...rest] = location.split('/')
  if (screen === 'campaigns' && rest.length === 0) return 'campaigns'
  const within = parts[screen]
  const part = screen === 'campaigns' ? rest[1] : rest[0]
  if (within !== undefined) return within.all.find((topic) => topic === part) ?? within.first
  return topics.find((topic) => topic === screen) ?? 'overview'
}
