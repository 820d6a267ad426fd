import { type HttpResponse, textResponse } from '../http/message.ts'
import type { Query } from '../request/query.ts'
import type { ServerContext } from '../server-context.ts'
import type { HealthCheck, HealthEndpoint } from './health-check.ts'

/** What the checks of one server share. */
type HealthContext = Pick<ServerContext, 'log' | 'requestMetrics' | 'clock' | 'livezGraceEnds'>

const endpoints: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz'])

export function isHealthEndpoint(text: string | undefined): text is HealthEndpoint {
  return text !== undefined && endpoints.has(text)
}

/** Answers a health question: of all checks of the endpoint, or of the one that `name` names. */
export async function healthResponse(
  endpoint: HealthEndpoint,
  name: string,
  query: Query,
  checks: readonly HealthCheck[],
  context: HealthContext,
): Promise<HttpResponse | undefined> {
  const own = checks.filter((check) => check.endpoints?.includes(endpoint) ?? true)
  if (name !== '')
    return singleCheck(
      endpoint,
      own.find((check) => check.name === name),
      context,
    )
  const excluded = new Set(query.all('exclude').filter((one) => one !== ''))
  const lines = await Promise.all(own.map((check) => checkLine(check, excluded, endpoint, context)))
  const unknown = [...excluded].filter((one) => !own.some((check) => check.name === one))
  const well = lines.every((one) => one.startsWith('[+]'))
  if (well && !query.has('verbose')) return textResponse(200, 'ok')
  const warnings = unknown.length === 0 ? [] : [unknownExclusions(unknown)]
  const last = `${endpoint} check ${well ? 'passed' : 'failed'}\n`
  return textResponse(well ? 200 : 500, [...lines, ...warnings, last].join('\n'))
}

async function checkLine(
  check: HealthCheck,
  excluded: ReadonlySet<string>,
  endpoint: string,
  context: HealthContext,
): Promise<string> {
  const { name } = check
  if (excluded.has(name)) return `[+]${name} excluded: ok`
  const reason = await failureOf(check, endpoint, context)
  return reason === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`
}

/** Runs a check; why it failed, or undefined if all is well. */
async function failureOf(
  { name, check, startup: beginning }: HealthCheck,
  endpoint: string,
  { log, requestMetrics: meters, clock, livezGraceEnds: graceEnds }: HealthContext,
): Promise<string | undefined> {
  if (beginning && endpoint === 'livez' && clock.now() < graceEnds) return undefined
  try {
    await check()
    meters.checked(endpoint, name, true)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn('health check failed', { endpoint, check: name, reason })
    meters.checked(endpoint, name, false)
    return reason
  }
}

function unknownExclusions(names: readonly string[]): string {
  const list = names.map((name) => JSON.stringify(name)).join(', ')
  return `warn: some health checks cannot be excluded: no matches for ${list}`
}

async function singleCheck(
  endpoint: string,
  found: HealthCheck | undefined,
  context: HealthContext,
): Promise<HttpResponse | undefined> {
  if (found === undefined) return undefined
  const reason = await failureOf(found, endpoint, context)
  if (reason === undefined) return textResponse(200, 'ok')
  return textResponse(500, `internal server error: ${reason}\n`)
}
