/** What a schema cannot say of the resources of a container. */
import { compareQuantities, parseQuantity } from '../kernel/quantity.ts'
import type { Finding } from '../kernel/read.ts'
import { invalid } from './findings.ts'
import type { Resources, Strings } from './shapes.ts'

/** Nobody asks for less than nothing, or for more than the limit. */
export function checkResources(path: string, resources: Resources | undefined): readonly Finding[] {
  const { limits = {}, requests = {} } = resources ?? {}
  return [
    ...checkAmounts(`${path}.limits`, limits),
    ...checkAmounts(`${path}.requests`, requests),
    ...Object.keys(requests).flatMap((name) =>
      checkLimit(`${path}.requests`, name, requests, limits),
    ),
  ]
}

function checkAmounts(path: string, amounts: Strings): readonly Finding[] {
  return Object.entries(amounts).flatMap(([name, text]) =>
    parseQuantity(text)?.negative
      ? [invalid(`${path}[${name}]`, text, 'must be greater than or equal to 0')]
      : [],
  )
}

function checkLimit(
  path: string,
  name: string,
  requests: Strings,
  limits: Strings,
): readonly Finding[] {
  const [text = '', most = ''] = [requests[name], Object.hasOwn(limits, name) ? limits[name] : '']
  const [request, limit] = [parseQuantity(text), parseQuantity(most)]
  if (request === undefined || limit === undefined) return []
  if (compareQuantities(request, limit) <= 0) return []
  return [invalid(path, text, `must be less than or equal to ${name} limit of ${most}`)]
}
