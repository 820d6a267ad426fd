import type { Clock } from '../kernel/async/clock.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import { type EndpointContext, sendText, sendWord } from './endpoint-context.ts'
import type { HealthCheck, HealthEndpoint } from './health-check.ts'

/** The checks of a process, and where their results go. */
export interface HealthOptions {
  readonly checks: readonly HealthCheck[]
  /** Milliseconds since the epoch; before, livez does not ask checks of the start. */
  readonly livezGraceEnds?: number
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** What the names of the metrics begin with. */
  readonly brand: string
}

/** Answers a health question; resolves to false for the name of a check that the endpoint does not have. */
export type HealthHandler = (
  ctx: EndpointContext,
  endpoint: HealthEndpoint,
  name: string,
) => Promise<boolean>

/** Runs all checks of an endpoint, or the one that is named. Why one failed is for the log; clients learn which. */
export function healthHandler(options: HealthOptions): HealthHandler {
  const failureOf = checkRunner(options)
  return async (ctx, endpoint, name) => {
    const own = options.checks.filter(({ endpoints }) => endpoints?.includes(endpoint) ?? true)
    if (name === '') {
      await sendAll(ctx, endpoint, own, failureOf)
      return true
    }
    const found = own.find((check) => check.name === name)
    if (found === undefined) return false
    const reason = await failureOf(found, endpoint)
    if (reason === undefined) sendWord(ctx, 200, 'ok')
    else sendText(ctx, 500, `internal server error: ${reason}\n`)
    return true
  }
}

/** Runs a check; why it failed, or undefined if it did not. */
type CheckRunner = (check: HealthCheck, endpoint: HealthEndpoint) => Promise<string | undefined>

/** Runs checks and counts their results, as the public metrics name them. */
function checkRunner(options: HealthOptions): CheckRunner {
  const { clock, log, metrics, brand, livezGraceEnds = 0 } = options
  const results = metrics.gauge(`${brand}_healthcheck`)
  const total = metrics.counter(`${brand}_healthchecks_total`)
  const count = (name: string, endpoint: string, passed: boolean): void => {
    results.set([name, endpoint], passed ? 1 : 0)
    total.add([name, endpoint, passed ? 'success' : 'error'])
  }
  return async ({ name, check, startup }, endpoint) => {
    if (startup && endpoint === 'livez' && clock.now() < livezGraceEnds) return undefined
    try {
      await check()
      count(name, endpoint, true)
      return undefined
    } catch (error) {
      const reason = errorText(error)
      log.warn('health check failed', { endpoint, check: name, reason })
      count(name, endpoint, false)
      return reason
    }
  }
}

/** `ok`, or one line a check where one failed or the client wants them all. */
async function sendAll(
  ctx: EndpointContext,
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  failureOf: CheckRunner,
): Promise<void> {
  const query = new URLSearchParams(ctx.querystring)
  const excluded = new Set(query.getAll('exclude').filter((one) => one !== ''))
  const lines = await Promise.all(
    checks.map(async (check) => {
      if (excluded.has(check.name)) return `[+]${check.name} excluded: ok`
      const reason = await failureOf(check, endpoint)
      return reason === undefined
        ? `[+]${check.name} ok`
        : `[-]${check.name} failed: reason withheld`
    }),
  )
  const healthy = lines.every((one) => one.startsWith('[+]'))
  if (healthy && !query.has('verbose')) return sendText(ctx, 200, 'ok')
  const unknown = [...excluded].filter((one) => !checks.some(({ name }) => name === one))
  const last = `${endpoint} check ${healthy ? 'passed' : 'failed'}\n`
  const text = [...lines, ...unknownExclusions(unknown), last].join('\n')
  sendText(ctx, healthy ? 200 : 500, text)
}

/** What the client excludes and the endpoint does not have. */
function unknownExclusions(names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const list = names.map((name) => JSON.stringify(name)).join(', ')
  return [`warn: some health checks cannot be excluded: no matches for ${list}`]
}
