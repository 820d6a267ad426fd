/** URLs in expressions: `url`, `isURL` and the accessors of their components. */

import { scaleRange } from '../cost/ranges.ts'
import type { ArgumentEstimate, Library } from '../functions/functions.ts'
import { method, overload, traversal } from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import { boolType, listType, mapType, opaqueType, stringType } from '../types/types.ts'
import { fail, Opaque, type Value } from '../values/values.ts'
import { unit } from './estimates.ts'
import { lengthOf } from './text.ts'
import { hostnameOf, parseUrl, portOf, queryOf, type UrlParts } from './url-text.ts'

/** The type of URLs. Two are equal if all their components are. */
export const urlType = opaqueType('api.URL', (a, b) => {
  const [left, right] = [a as UrlParts, b as UrlParts]
  return (Object.keys(left) as (keyof UrlParts)[]).every((part) => left[part] === right[part])
})

/** What an `api.URL` holds: the parsed components, never the text that they came from. */
function partsOf(value: Value): UrlParts {
  return (value as Opaque<UrlParts>).value
}

const parsing = {
  cost: (text: string) => traversal(lengthOf(text)),
  estimate: ({ size }: ArgumentEstimate) => ({ cost: scaleRange(size, 0.1) }),
}

/** Steps of an accessor: its cost of 1 does not count the text that it copies. */
const stepsPerAccess = 10

/** An accessor of one component. */
function accessor(name: string, id: string, part: (parts: UrlParts) => string) {
  return {
    name,
    overloads: [
      method(
        id,
        [urlType],
        stringType,
        (url) => {
          const parts = partsOf(url)
          spendSteps(stepsPerAccess + (parts.host.length >> 3))
          return part(parts)
        },
        { estimate: unit },
      ),
    ],
  }
}

/** Steps of parsing a query, for each character: its cost is 1. */
const stepsPerCharacter = 3

/** Steps of parsing a URL: a short one costs less than its parsing takes. */
const stepsPerUrl = 200

/**
 * Steps are taken before the text is looked at, so that a long one cannot be parsed for nothing.
 */
function read(text: string): ReturnType<typeof parseUrl> {
  spendSteps(stepsPerUrl + text.length)
  return parseUrl(text)
}

const queries = new WeakMap<UrlParts, Value>()

/** The query as a map, parsed once for each URL: a rule may call `getQuery` in a loop at a cost of 1. */
function queryMap(parts: UrlParts): Value {
  const known = queries.get(parts)
  if (known !== undefined) return known
  spendSteps(stepsPerCharacter * parts.rawQuery.length)
  const map: Record<string, readonly string[]> = Object.create(null)
  for (const [key, values] of queryOf(parts)) map[key] = values
  queries.set(parts, map)
  return map
}

/** The library of URLs. */
export const urlLibrary: Library = {
  name: 'url',
  types: { [urlType.name]: urlType },
  functions: [
    {
      name: 'url',
      overloads: [
        overload(
          'string_to_url',
          [stringType],
          urlType,
          (text) => {
            const parts = read(text)
            if (!('error' in parts)) return new Opaque(urlType, parts)
            return fail(`URL parse error during conversion from string: ${parts.error}`)
          },
          parsing,
        ),
      ],
    },
    {
      name: 'isURL',
      overloads: [
        overload('is_url_string', [stringType], boolType, (text) => !('error' in read(text))),
      ],
    },
    accessor('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
    accessor('getHost', 'url_get_host', ({ host }) => host),
    accessor('getHostname', 'url_get_hostname', hostnameOf),
    accessor('getPort', 'url_get_port', portOf),
    accessor('getEscapedPath', 'url_get_escaped_path', ({ escapedPath }) => escapedPath),
    {
      name: 'getQuery',
      overloads: [
        method('url_get_query', [urlType], mapType(stringType, listType(stringType)), (url) =>
          queryMap(partsOf(url)),
        ),
      ],
    },
  ],
}
