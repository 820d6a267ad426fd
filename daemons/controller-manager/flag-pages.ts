import type { DaemonPage } from '../../runtime/daemon/daemon.ts'
import type { DaemonLog } from './daemon-log.ts'

/** Most bytes of a verbosity. */
const mostBytes = 64

/** `PUT /debug/flags/v` with a number changes how much the log tells, until the process ends. */
export function flagPages(log: DaemonLog): DaemonPage {
  return async function flagPages(ctx, next) {
    if (ctx.path !== '/debug/flags/v') return next()
    ctx.set('Content-Type', 'text/plain; charset=utf-8')
    if (ctx.method !== 'PUT') {
      ctx.status = 405
      ctx.set('Allow', 'PUT')
      ctx.body = 'unrecognized http method\n'
      return
    }
    let text = ''
    for await (const chunk of ctx.req) {
      text += String(chunk)
      if (text.length > mostBytes) break
    }
    if (!/^\d{1,9}$/.test(text)) {
      ctx.status = 400
      ctx.body = `cannot set the verbosity of the log to ${JSON.stringify(text.slice(0, mostBytes))}: expected a number\n`
      return
    }
    log.verbosity = Number(text)
    ctx.status = 200
    ctx.body = `successfully set klog.logging.verbosity to ${text}`
  }
}
