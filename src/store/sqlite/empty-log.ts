// A process of its own, started by the server: empties the write-ahead log of the database that its argument names.
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from './connection.ts'
import { emptyLog } from './write-ahead-log.ts'

/** Short, since registrations wait meanwhile. */
const busyTimeoutMs = 10
const longestPauseMs = 1_000
const [path = ''] = process.argv.slice(2)

// The server has ended: the next one empties the log at its start.
process.once('disconnect', () => process.exit())

const connection = connect(path, { busyTimeoutMs, mustExist: true })
for (let pauseMs = 20; !emptyLog(connection); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) await sleep(pauseMs)
connection.close()
process.disconnect?.()
