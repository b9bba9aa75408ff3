/** On what stands at a link of one lead: its ref must leak neither by a cache nor by a referrer. */
export const neverKept = {
  'Cache-Control': 'no-store, no-cache, must-revalidate, max-age=0',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
}
