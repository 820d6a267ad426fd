import { type EndpointContext, sendText } from './endpoint-context.ts'
import { type HealthOptions, healthHandler } from './health.ts'
import type { HealthEndpoint } from './health-check.ts'
import { type MetricSource, sendMetrics } from './metrics.ts'

/** What a daemon tells about itself. */
export interface DaemonEndpoints extends HealthOptions, MetricSource {
  /** Serves `/metrics/slis`, the health checks alone. */
  readonly slis?: boolean
  /**
   * The configuration in force for `/configz`: components by name, as their configuration files would say it. Absent, there is
   * no such path.
   */
  readonly configz?: () => Readonly<Record<string, object>>
  /**
   * What the process does now, for `/debug/<brand>`: as text, and as JSON to who asks for `?format=json` or accepts nothing else. It names
   * objects, so it is told to this machine alone. Absent, there is no such path.
   */
  readonly debug?: DebugPage
}

/** What a process does now, for people and for programs. */
export interface DebugPage {
  text(): string
  json(): object
}

/** First segments of the paths of health. */
const healthEndpoints: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz'])

/** True for the first segment of a path that may be one of these endpoints. */
export function isEndpoint(segment: string | undefined): boolean {
  if (segment === undefined) return false
  return healthEndpoints.has(segment) || segment === 'metrics' || segment === 'configz'
}

/** The endpoints as a middleware of Koa. Other paths, and checks that there are none of, are left to the next one. */
export function daemonEndpoints(
  options: DaemonEndpoints,
): (ctx: EndpointContext, next: () => Promise<void>) => Promise<void> {
  const { slis = false, configz, debug, brand } = options
  const health = healthHandler(options)
  const answer = async (ctx: EndpointContext): Promise<boolean> => {
    const path = decoded(ctx.path)
    if (path.endsWith('/')) return false
    const [first = '', ...rest] = path.replace(/^\//, '').split('/')
    const name = rest.join('/')
    if (healthEndpoints.has(first)) return health(ctx, first as HealthEndpoint, name)
    if (first === 'metrics' && name === '') await sendMetrics(ctx, options)
    else if (first === 'metrics' && name === 'slis' && slis) {
      await sendMetrics(ctx, options, `${brand}_healthcheck`)
    } else if (first === 'configz' && name === '' && configz !== undefined) sendJson(ctx, configz())
    else if (first === 'debug' && name === brand && debug !== undefined) sendDebug(ctx, debug)
    else return false
    return true
  }
  return async function daemonEndpoints(ctx, next) {
    if (!(await answer(ctx))) return next()
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return
    ctx.set('Allow', 'GET, HEAD')
    sendText(ctx, 405, '405: Method Not Allowed')
  }
}

/** A path that cannot be decoded is compared as it is, and found nowhere. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function sendDebug(ctx: EndpointContext, page: DebugPage): void {
  if (!isOfThisMachine(ctx.req?.socket.remoteAddress)) {
    sendText(ctx, 403, '403: this page is for clients of the same machine, as by a port forward\n')
  } else if (wantsJson(ctx)) sendJson(ctx, page.json())
  else sendText(ctx, 200, page.text())
}

function wantsJson(ctx: EndpointContext): boolean {
  const format = new URLSearchParams(ctx.querystring).get('format')
  return format === 'json' || ctx.get('accept') === 'application/json'
}

/** True for a loopback address. */
function isOfThisMachine(address = ''): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}

/** JSON on one line. */
function sendJson(ctx: EndpointContext, value: object): void {
  ctx.set('Content-Type', 'application/json')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.status = 200
  ctx.body = Buffer.from(JSON.stringify(value))
}
