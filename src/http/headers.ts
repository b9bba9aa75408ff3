/** All values of a header, by its lower-case name: where some are repeated, Node keeps the first only. */
export function valuesOf(rawHeaders: string[], name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] as string)
  }
  return values
}
