import type { DaemonPage } from '../../runtime/daemon/daemon.ts'
import { pause, systemClock } from '../../runtime/kernel/async/clock.ts'

const root = '/debug/pprof'

const index = `profiles of this process, as the developer tools of browsers read them

  ${root}/profile?seconds=N  where the processor is used, over N seconds (30)
  ${root}/heap?seconds=N     what memory is taken for, over N seconds (5)
`

/** Longest time of a profile. */
const mostSeconds = 300

/** Profiles under `/debug/pprof/`: one at a time, in the formats of V8. */
export function profilePages(): DaemonPage {
  let isBusy = false
  return async function profilePages(ctx, next) {
    const { path, method } = ctx
    if (path !== root && !path.startsWith(`${root}/`)) return next()
    const name = path.slice(root.length + 1)
    ctx.set('X-Content-Type-Options', 'nosniff')
    if (method !== 'GET' && method !== 'HEAD') {
      ctx.status = 405
      ctx.set('Allow', 'GET, HEAD')
    } else if (name === '') {
      ctx.set('Content-Type', 'text/plain; charset=utf-8')
      ctx.body = index
    } else if (name === 'profile' || name === 'heap') {
      const seconds = Number(ctx.query.seconds ?? (name === 'heap' ? 5 : 30))
      if (!(seconds > 0 && seconds <= mostSeconds)) {
        ctx.status = 400
        ctx.body = `seconds: expected a number up to ${mostSeconds}\n`
      } else if (isBusy) {
        ctx.status = 503
        ctx.body = 'another profile is being taken\n'
      } else {
        isBusy = true
        const file = name === 'heap' ? 'heap.heapprofile' : 'processor.cpuprofile'
        ctx.set('Content-Type', 'application/octet-stream')
        ctx.set('Content-Disposition', `attachment; filename="${file}"`)
        ctx.body = await taken(name, seconds).finally(() => {
          isBusy = false
        })
      }
    } else await next()
  }
}

async function taken(name: 'profile' | 'heap', seconds: number): Promise<Buffer> {
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  try {
    if (name === 'heap') {
      await session.post('HeapProfiler.startSampling')
      await pause(systemClock, seconds * 1000)
      const { profile } = await session.post('HeapProfiler.stopSampling')
      return Buffer.from(JSON.stringify(profile))
    }
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await pause(systemClock, seconds * 1000)
    const { profile } = await session.post('Profiler.stop')
    return Buffer.from(JSON.stringify(profile))
  } finally {
    session.disconnect()
  }
}
