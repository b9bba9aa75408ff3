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

const mostLetters = 50

/** A name for a file: letters and digits, of any script, of a name for people, and what tells it from others of it. */
export function fileName(name: string, ending: string): string {
  const plain = name
    .normalize()
    .toLowerCase()
    // Marks are parts of letters in scripts such as that of Hindi.
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  // Systems take 255 bytes.
  const short = [...plain].slice(0, mostLetters).join('').replace(/^-|-$/g, '')
  return `${short || 'campaign'}${ending}`
}
