// Preloaded into a process of a test: the thread that builds countdown images cannot start.
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'

const { Worker } = threads
threads.Worker = new Proxy(Worker, {
  construct(target, [file, options]: ConstructorParameters<typeof Worker>) {
    const isBuilder = String(file).endsWith('/build-thread.ts')
    return new target(isBuilder ? new URL('./no-such-thread.ts', file) : file, options)
  },
})
syncBuiltinESMExports()
