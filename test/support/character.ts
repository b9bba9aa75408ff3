import fc from 'fast-check'

/** Any character at all, half of a pair too. That of fast-check takes a second to know them. */
export const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))
