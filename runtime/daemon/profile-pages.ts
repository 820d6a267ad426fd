import { pause, systemClock } from '../kernel/async/clock.ts'
import { type DaemonPage, isReading, type PageContext, sendAway } from './daemon-page.ts'
import { sendText } from './endpoint-context.ts'

const root = '/debug/pprof'

const index = `profiles of this process, as the developer tools of browsers read them

  ${root}/profile?seconds=N  where the processor is used, over N seconds (30)
  ${root}/heap?seconds=N     what memory is taken for, over N seconds (5)
`

/** Longest time of a profile. */
const mostSeconds = 300

/** What profiles are named here, with the seconds of one. */
const profiles: Readonly<Record<string, { readonly seconds: number; readonly file: string }>> = {
  profile: { seconds: 30, file: 'processor.cpuprofile' },
  heap: { seconds: 5, file: 'heap.heapprofile' },
}

/** Profiles under `/debug/pprof/`: one at a time, in the formats of V8 (H-13). */
export function profilePages(): DaemonPage {
  let isBusy = false
  return async function profilePages(ctx, next) {
    if (ctx.path === root) return sendAway(ctx, 302, `${root}/`)
    if (!ctx.path.startsWith(`${root}/`)) return next()
    const name = ctx.path.slice(root.length + 1)
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    if (!isReading(ctx)) return
    if (name === '') return sendText(ctx, 200, index)
    if (profile === undefined) return sendText(ctx, 404, 'Unknown profile\n')
    const seconds = secondsOf(ctx, profile.seconds)
    if (seconds === undefined) {
      return sendText(ctx, 400, `seconds: expected a number up to ${mostSeconds}\n`)
    }
    if (isBusy) return sendText(ctx, 503, 'another profile is being taken\n')
    isBusy = true
    const gone = new AbortController()
    const leave = (): void => gone.abort()
    ctx.req.socket.once('close', leave)
    try {
      const bytes = await taken(name, seconds, gone.signal)
      sendText(ctx, 200, '')
      ctx.set('Content-Type', 'application/octet-stream')
      ctx.set('Content-Disposition', `attachment; filename="${profile.file}"`)
      ctx.body = bytes
    } finally {
      ctx.req.socket.off('close', leave)
      isBusy = false
    }
  }
}

function secondsOf({ querystring }: PageContext, otherwise: number): number | undefined {
  const seconds = Number(new URLSearchParams(querystring).get('seconds') ?? otherwise)
  return seconds > 0 && seconds <= mostSeconds ? seconds : undefined
}

/** Ends early when the client is gone. */
async function taken(name: string, seconds: number, signal: AbortSignal): Promise<Buffer> {
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  try {
    if (name === 'heap') {
      await session.post('HeapProfiler.startSampling')
      await pause(systemClock, seconds * 1000, signal)
      const { profile } = await session.post('HeapProfiler.stopSampling')
      return Buffer.from(JSON.stringify(profile))
    }
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await pause(systemClock, seconds * 1000, signal)
    const { profile } = await session.post('Profiler.stop')
    return Buffer.from(JSON.stringify(profile))
  } finally {
    session.disconnect()
  }
}
