import type { AdjustableLog } from '../observe/observe.ts'
import { type DaemonPage, type PageContext, sendPage } from './daemon-page.ts'
import { sendText } from './endpoint-context.ts'

const root = '/debug/flags'

/** Most bytes of a verbosity. */
const mostBytes = 64

const index = `<html>
<head><title>${root}/</title></head>
<body>
<p>settings that a PUT changes until the process ends:</p>
<ul><li>${root}/v: how much the log tells, a number</li></ul>
</body>
</html>
`

/** `PUT /debug/flags/v` with a number changes how much the log tells, until the process ends (H-13). */
export function flagPages(log: AdjustableLog): DaemonPage {
  return async function flagPages(ctx, next) {
    if (ctx.path !== root && !ctx.path.startsWith(`${root}/`)) return next()
    if (ctx.path !== `${root}/v`) return sendPage(ctx, index)
    if (ctx.method !== 'PUT') return sendText(ctx, 406, 'unsupported http method')
    const text = await start(ctx)
    if (!/^\d{1,9}$/.test(text)) {
      const shown = JSON.stringify(text)
      return sendText(ctx, 400, `parsing ${shown}: invalid syntax: expected a number`)
    }
    log.verbosity = Number(text)
    sendText(ctx, 200, `successfully set klog.logging.verbosity to ${text}`)
  }
}

/** The beginning of the body, which is all of it where it may be a number. */
async function start({ req }: PageContext): Promise<string> {
  let text = ''
  for await (const chunk of req) {
    text += String(chunk)
    if (text.length > mostBytes) break
  }
  return text.slice(0, mostBytes)
}
