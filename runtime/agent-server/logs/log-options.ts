import { Refusal } from '../contract/refusal.ts'

/** Which lines of a log are wanted, and how. */
export interface LogOptions {
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
  /** Lines before are left out; milliseconds since the epoch. */
  readonly since: number | undefined
}

/** The options that a query says. @throws Refusal for one that has no meaning. */
export function logOptions(query: URLSearchParams, now: number): LogOptions {
  const seconds = wholeNumber(query, 'sinceSeconds', 1)
  const time = query.get('sinceTime') ?? ''
  const at = time === '' ? undefined : Date.parse(time)
  if (Number.isNaN(at)) throw wrong('sinceTime', time, 'a time such as 2024-05-01T00:00:00Z')
  if (at !== undefined && seconds !== undefined) {
    throw new Refusal(422, 'at most one of `sinceTime` or `sinceSeconds` may be specified')
  }
  return {
    follow: flag(query, 'follow'),
    previous: flag(query, 'previous'),
    timestamps: flag(query, 'timestamps'),
    tailLines: wholeNumber(query, 'tailLines', 0),
    limitBytes: wholeNumber(query, 'limitBytes', 1),
    since: at ?? (seconds === undefined ? undefined : now - seconds * 1000),
  }
}

/** `1`, `true` and a name without a value are true. */
export function flag(query: URLSearchParams, name: string): boolean {
  return /^(|1|t|true)$/i.test(query.get(name) ?? 'false')
}

function wholeNumber(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name) ?? ''
  if (text === '') return undefined
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least) return value
  throw wrong(name, text, `a whole number of at least ${least}`)
}

function wrong(name: string, text: string, expected: string): Refusal {
  return new Refusal(422, `${name}: ${JSON.stringify(text.slice(0, 100))}: expected ${expected}`)
}
