type File = { id?: unknown; pages?: unknown }

const isObject = (value: unknown): value is File => typeof value === 'object' && value !== null && !Array.isArray(value)
const withoutId = ({ id: _, ...rest }: File) => rest

/** A draft of its own from a campaign's file, whose ids are those of where it comes from. */
export function draftOf(file: unknown): object | undefined {
  if (!isObject(file)) return undefined
  const { pages } = file
  const copies = Array.isArray(pages) ? pages.map((page) => (isObject(page) ? withoutId(page) : page)) : pages
  return { ...withoutId(file), pages: copies, isDraft: true }
}
