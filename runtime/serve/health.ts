import type { Log } from '../observe/observe.ts'
import { type Answer, textAnswer } from './exchange.ts'
import type { Query } from './query.ts'

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz'

/** One thing that has to be well. Without `endpoints` it counts for all of them. */
export interface HealthCheck {
  readonly name: string
  readonly endpoints?: readonly HealthEndpoint[]
  /** Fails if it is not. */
  readonly check: () => void | Promise<void>
}

const endpoints: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz'])

export function isHealthEndpoint(text: string | undefined): text is HealthEndpoint {
  return text !== undefined && endpoints.has(text)
}

/** Answers a health question: of all checks of the endpoint, or of the one that `name` names. */
export async function healthAnswer(
  endpoint: HealthEndpoint,
  name: string,
  query: Query,
  checks: readonly HealthCheck[],
  log: Log,
): Promise<Answer | undefined> {
  const own = checks.filter((check) => check.endpoints?.includes(endpoint) ?? true)
  if (name !== '') return single(own.find((check) => check.name === name))
  const excluded = new Set(query.all('exclude').filter((one) => one !== ''))
  const lines = await Promise.all(own.map((check) => line(check, excluded, endpoint, log)))
  const unknown = [...excluded].filter((one) => !own.some((check) => check.name === one))
  const well = lines.every((one) => one.startsWith('[+]'))
  if (well && !query.has('verbose')) return textAnswer(200, 'ok')
  const warnings = unknown.length === 0 ? [] : [warning(unknown)]
  const last = `${endpoint} check ${well ? 'passed' : 'failed'}\n`
  return textAnswer(well ? 200 : 500, [...lines, ...warnings, last].join('\n'))
}

async function line(
  { name, check }: HealthCheck,
  excluded: ReadonlySet<string>,
  endpoint: string,
  log: Log,
): Promise<string> {
  if (excluded.has(name)) return `[+]${name} excluded: ok`
  try {
    await check()
    return `[+]${name} ok`
  } catch (error) {
    log.warn('health check failed', { endpoint, check: name, reason: textOf(error) })
    return `[-]${name} failed: reason withheld`
  }
}

function warning(names: readonly string[]): string {
  const list = names.map((name) => JSON.stringify(name)).join(', ')
  return `warn: some health checks cannot be excluded: no matches for ${list}`
}

async function single(found: HealthCheck | undefined): Promise<Answer | undefined> {
  try {
    await found?.check()
    return found && textAnswer(200, 'ok')
  } catch (error) {
    return textAnswer(500, `internal server error: ${textOf(error)}\n`)
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
