/** The pages of help, by what they are about: one for each screen. */
export const topics = [
  ...(['overview', 'campaigns', 'results', 'rules', 'pages', 'timer', 'leads', 'person'] as const),
  ...(['keys', 'history', 'webhooks', 'reference', 'settings', 'users', 'security', 'audit'] as const),
]
export type Topic = (typeof topics)[number]

/** What helps with a screen whose part has no page of its own. */
const firsts: Record<string, Topic> = {
  campaigns: 'results',
  person: 'person',
  integrations: 'keys',
  settings: 'settings',
}

/** What helps with the screen at this address. */
export function topicOf(location: string): Topic {
  const [, screen = '', ...rest] = location.split('/')
  if (screen === 'campaigns' && rest.length === 0) return 'campaigns'
  const part = screen === 'campaigns' ? rest[1] : rest[0]
  return topics.find((topic) => topic === part) ?? firsts[screen] ?? 'overview'
}
