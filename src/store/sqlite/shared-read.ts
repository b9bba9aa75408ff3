import type { Connection } from './connection.ts'

export type SharedRead = {
  /** Joins the read transaction of this turn of the event loop, or begins it. */
  begin(): void
  end(): void
}

/**
 * One read transaction for all reads of one turn of the event loop: taking and giving back SQLite's read lock
 * is half the cost of a look-up. It ends before the next sockets are read, so that nobody who has been
 * answered finds that his answer is not there yet. `begun` is called inside each.
 */
export function sharedRead(connection: Connection, begun: () => void): SharedRead {
  const beginStatement = connection.prepare('BEGIN')
  const endStatement = connection.prepare('COMMIT')
  let open = false

  function end(): void {
    if (!open) return
    open = false
    endStatement.run()
  }

  return {
    begin() {
      if (open) return
      beginStatement.run()
      open = true
      setImmediate(end)
      begun()
    },
    end,
  }
}
