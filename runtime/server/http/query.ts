import { StatusError } from '../../kernel/errors/status-error.ts'
import { parseDuration } from '../../kernel/values/duration.ts'

/** The query of a request. Parameters that no endpoint reads are ignored. */
export interface Query {
  /** The first value of a parameter; undefined if it is absent. */
  text(name: string): string | undefined
  /** All values of a parameter, in order. */
  all(name: string): readonly string[]
  /** True unless the parameter is absent, `0` or `false`: the bare parameter counts. */
  flag(name: string): boolean
  /** @throws StatusError BadRequest if the value is no integer. Absent and empty values are undefined. */
  integer(name: string): number | undefined
  /** True if the parameter is there, even without a value. */
  has(name: string): boolean
}

const emptyQuery = queryOf(new URLSearchParams())

/** Splits a URL into its path and its query. A URL without a query costs nothing. */
export function splitUrl(url: string): { readonly path: string; readonly query: Query } {
  const mark = url.indexOf('?')
  if (mark < 0) return { path: url, query: emptyQuery }
  return { path: url.slice(0, mark), query: queryOf(new URLSearchParams(url.slice(mark + 1))) }
}

function queryOf(values: URLSearchParams): Query {
  return {
    text: (name) => values.get(name) ?? undefined,
    all: (name) => values.getAll(name),
    flag: (name) => !['0', 'false', undefined].includes(values.get(name)?.toLowerCase()),
    integer: (name) => integer(name, values.get(name) ?? ''),
    has: (name) => values.has(name),
  }
}

/** Nineteen digits hold every int64; beyond the safe integers a number would be another one. */
function integer(name: string, text: string): number | undefined {
  if (text === '') return undefined
  const value = /^[+-]?\d{1,19}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(value)) return value
  throw new StatusError('BadRequest', `${name}: ${JSON.stringify(text)} is not an integer`)
}

/**
 * Milliseconds of the `timeout` parameter, such as `32s` or `1m30s`; undefined if there is none.
 *
 * @throws StatusError BadRequest for a text that is no duration, or a negative one.
 */
export function timeoutOf(query: Query): number | undefined {
  const text = query.text('timeout')
  if (text === undefined || text === '') return undefined
  const ms = parseDuration(text)
  if (ms !== undefined && ms >= 0) return ms
  throw new StatusError(
    'BadRequest',
    `invalid timeout specified in the request URL - invalid duration ${JSON.stringify(text)}`,
  )
}
