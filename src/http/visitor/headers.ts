// What stands on every answer to a recipient: a ref in an address must leak neither by a cache nor by a referrer.
export const unkept = [
  'Cache-Control',
  'no-store, no-cache, must-revalidate, max-age=0',
  'Referrer-Policy',
  'no-referrer',
  'X-Robots-Tag',
  'noindex',
  'X-Content-Type-Options',
  'nosniff',
]
