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
  /** @throws StatusError BadRequest if the value is no integer of 64 bits. */
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
    integer: (name) => integer(values.get(name) ?? undefined),
    has: (name) => values.has(name),
  }
}

/** An integer in the words of the public parser. Beyond 2^53 it is the nearest double, which no option tells from it. */
function integer(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^[+-]?\d+$/.test(text)) throw unparsed(text, 'invalid syntax')
  if (value >= 2 ** 63 || value < -(2 ** 63)) throw unparsed(text, 'value out of range')
  return value
}

function unparsed(text: string, why: string): StatusError {
  return new StatusError(
    'BadRequest',
    `strconv.ParseInt: parsing ${JSON.stringify(text.slice(0, shown))}: ${why}`,
  )
}

/** How many characters of a value a message shows. */
const shown = 1024

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
