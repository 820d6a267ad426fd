import { StatusError } from '../../kernel/errors/status-error.ts'
import { durationProblem, parseDuration } from '../../kernel/values/duration.ts'

/** The query of a request. Parameters that no endpoint reads are ignored. */
export interface Query {
  /** The first value of a parameter; undefined if it is absent. */
  text(name: string): string | undefined
  /** All values of a parameter, in order. */
  all(name: string): readonly string[]
  /** True unless the parameter is absent, `0` or `false`: the bare parameter counts. */
  flag(name: string): boolean
  /**
   * Undefined if it is absent; beyond what a number can hold, the nearest that it can.
   *
   * @throws StatusError BadRequest if the value is no integer of 64 bits, the empty one among them.
   */
  integer(name: string): number | undefined
  /** True if the parameter is there, even without a value. */
  has(name: string): boolean
}

const emptyQuery = queryOf(new URLSearchParams())

/** Splits a URL into its path and its query, of which a second question mark is part. A URL without a query costs nothing. */
export function splitUrl(url: string): { readonly path: string; readonly query: Query } {
  const mark = url.indexOf('?')
  if (mark < 0) return { path: url, query: emptyQuery }
  return { path: url.slice(0, mark), query: queryOf(new URLSearchParams(url.slice(mark))) }
}

function queryOf(values: URLSearchParams): Query {
  return {
    text: (name) => values.get(name) ?? undefined,
    all: (name) => values.getAll(name),
    flag: (name) => !['0', 'false', undefined].includes(values.get(name)?.toLowerCase()),
    integer: (name) => integer(values.get(name)),
    has: (name) => values.has(name),
  }
}

/** Bounds of a 64-bit integer. */
const [smallest, largest] = [-(2n ** 63n), 2n ** 63n - 1n]

/** An integer as public servers read it, with their words for what is none. */
function integer(text: string | null): number | undefined {
  if (text === null) return undefined
  const refuse = (why: string): never => {
    throw new StatusError('BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
  }
  const [, sign, digits = ''] = /^([+-]?)0*(\d+)$/.exec(text) ?? []
  if (digits === '') return refuse('invalid syntax')
  const value = digits.length > 19 ? undefined : BigInt(`${sign === '-' ? '-' : ''}${digits}`)
  if (value === undefined || value < smallest || value > largest)
    return refuse('value out of range')
  const { MIN_SAFE_INTEGER: lowest, MAX_SAFE_INTEGER: highest } = Number
  return Math.max(lowest, Math.min(highest, Number(value)))
}

/**
 * Milliseconds of the `timeout` parameter, such as `32s` or `1m30s`; undefined if there is none, or it is not above 0.
 *
 * @throws StatusError BadRequest for a text that is no duration.
 */
export function timeoutOf(query: Query): number | undefined {
  const text = query.text('timeout')
  if (text === undefined || text === '') return undefined
  const ms = parseDuration(text)
  if (ms !== undefined) return ms > 0 ? ms : undefined
  throw new StatusError(
    'BadRequest',
    `invalid timeout specified in the request URL - ${durationProblem(text)}`,
  )
}
