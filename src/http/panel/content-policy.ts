// What the panel's pages may load, run and use.

const none = ["'none'"]
const own = ["'self'"]

/** Mantine and its dialogs write style elements, which bear the nonce of the document. */
export function contentPolicy(styleNonce?: string) {
  return {
    useDefaults: false,
    directives: {
      defaultSrc: none,
      scriptSrc: own,
      styleSrc: styleNonce === undefined ? own : [...own, `'nonce-${styleNonce}'`],
      imgSrc: [...own, 'data:', 'blob:'],
      fontSrc: own,
      connectSrc: own,
      frameSrc: own,
      baseUri: own,
      formAction: own,
      frameAncestors: none,
    },
  }
}

const forbidden = [
  ...['accelerometer', 'autoplay', 'camera', 'cross-origin-isolated', 'display-capture', 'encrypted-media'],
  ...['fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid', 'idle-detection', 'keyboard-map', 'magnetometer'],
  ...['microphone', 'midi', 'payment', 'picture-in-picture', 'publickey-credentials-get', 'screen-wake-lock'],
  ...['serial', 'unload', 'usb', 'web-share', 'xr-spatial-tracking'],
]

/** Snippets and keys are copied by a button. */
const ownOnly = ['clipboard-read', 'clipboard-write', 'sync-xhr']

/** OWASP's list, of what browsers know. */
export const permissionsPolicy = [
  ...forbidden.map((feature) => `${feature}=()`),
  ...ownOnly.map((feature) => `${feature}=(self)`),
].join(', ')
