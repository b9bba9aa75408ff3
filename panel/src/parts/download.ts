/** Gives the reader a file that was made in the browser. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The browser takes hold of it a moment later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** For people to read too. */
export const jsonFile = (value: unknown) =>
  new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' })

/** A name for a file made of a name for people. */
export function fileName(name: string, ending: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\w]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
  return `${plain.slice(0, 60) || 'campaign'}.${ending}`
}
