import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'

/** A server in memory of everything that there is, so that each request finds its route. */
export function startServerOfAll(): Promise<RunningApiServer> {
  return startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
    runtimeConfig: ['api/all=true'],
  })
}
