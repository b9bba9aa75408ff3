import pino from 'pino'

/**
 * Everything that may be in a log line. A new field is added here or it does not exist: emails, keys,
 * secrets, bodies and URLs have no place to go.
 */
type LogFields = {
  signal?: string
  requestId?: string
  /** An error as `describeError` describes it. */
  error?: ErrorFields
}

type ErrorFields = { name: string; code?: string | number; at: string[]; cause?: ErrorFields }

export type Log = {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export function openLog(): Log {
  // If nobody reads the lines any more (a closed pipe, a full disk), the process must still end.
  const destination = pino.destination({ sync: true })
  destination.on('error', () => {})
  const logger = pino({ base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  }
}

/** Does as `say`, but at most once in `ms`. */
export function atMostEvery<Told extends unknown[]>(ms: number, say: (...told: Told) => void): (...told: Told) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return (...told) => {
    if (performance.now() - saidAt < ms) return
    saidAt = performance.now()
    say(...told)
  }
}

/**
 * Where an error came from, without its message, which may quote what a client sent (a JSON parser's does). A name, a
 * code and places in our code cannot.
 */
export function describeError(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { name: typeof error, at: [] }
  const code = (error as { errcode?: number }).errcode ?? (error as { code?: string | number }).code
  // The stack begins with the message, and a line of that may look like a place.
  const at = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim())
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    at,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
