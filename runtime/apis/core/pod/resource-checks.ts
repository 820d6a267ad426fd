/** What a schema cannot say of the resources of a container. */

import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { compareQuantities, parseQuantity } from '../../../kernel/values/quantity.ts'
import { forbidden, invalid, invalidAll, required } from '../../types/field-errors.ts'
import {
  containerNameProblems,
  isHugePage,
  isOvercommitted,
  isWhole,
} from '../../types/resource-names.ts'
import type { Resources, Strings } from '../../types/shapes.ts'

/** Nobody asks for less than nothing, or for more than the limit; what cannot be shared is limited to what is asked for. */
export function checkResources(
  path: string,
  resources: Resources | undefined,
): readonly FieldError[] {
  if (resources === undefined) return none
  const { limits = {}, requests = {} } = resources
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  const alone = names.some(isHugePage) && !names.includes('cpu') && !names.includes('memory')
  return [
    ...checkAmounts(`${path}.limits`, limits),
    ...checkAmounts(`${path}.requests`, requests),
    ...Object.keys(requests).flatMap((name) => checkLimit(path, name, requests, limits)),
    ...(alone ? [forbidden(path, 'HugePages require cpu or memory')] : []),
  ]
}

const none: readonly FieldError[] = []

function checkAmounts(path: string, amounts: Strings): readonly FieldError[] {
  return Object.entries(amounts).flatMap(([name, text]) => {
    const at = `${path}[${name}]`
    return [
      ...invalidAll(at, name, containerNameProblems(name)),
      ...invalidAll(at, text, amountProblems(name, text)),
    ]
  })
}

const fine: readonly string[] = []
const billion = 1_000_000_000n

/** What is wrong with an amount of a resource. */
export function amountProblems(name: string, text: string): readonly string[] {
  // What was read is in its canonical form, so a sign stands in front and says what it says.
  if (text.startsWith('-')) return ['must be greater than or equal to 0']
  if (!isWhole(name)) return fine
  const amount = parseQuantity(text)
  return amount !== undefined && amount.nanos % billion !== 0n ? ['must be an integer'] : fine
}

function checkLimit(
  path: string,
  name: string,
  requests: Strings,
  limits: Strings,
): readonly FieldError[] {
  const at = `${path}.requests`
  const shared = isOvercommitted(name)
  if (!Object.hasOwn(limits, name)) {
    const why = 'Limit must be set for non overcommitable resources'
    return shared ? none : [required(`${path}.limits`, why)]
  }
  const [text = '', most = ''] = [requests[name], limits[name]]
  if (text === most) return none
  const [request, limit] = [parseQuantity(text), parseQuantity(most)]
  if (request === undefined || limit === undefined) return []
  const order = compareQuantities(request, limit)
  if (order !== 0 && !shared) {
    return [invalid(at, text, `must be equal to ${name} limit of ${most}`)]
  }
  if (order <= 0) return []
  return [invalid(at, text, `must be less than or equal to ${name} limit of ${most}`)]
}
