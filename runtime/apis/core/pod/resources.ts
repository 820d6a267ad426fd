import type { ResourceRequirements } from '../../../../generated/apis/core/v1/container.ts'
import { compareQuantities, parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import {
  containerNameProblems,
  isHugePage,
  isOvercommitted,
  isWhole,
  shownName,
} from '../../types/resource-names.ts'

/**
 * Requests are not negative and stay within the limits; resources that cannot be overcommitted are
 * limited to them.
 * Errors in the order limits, requests, requests against limits, pages. The name of an entry is
 * judged before its amount.
 */
export const resourceRequirements: Check<ResourceRequirements> = (resources) => {
  const { limits = {}, requests = {} } = resources.value
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  checkAmounts(resources, 'limits')
  checkAmounts(resources, 'requests')
  for (const name of Object.keys(requests)) checkLimit(resources, name)
  if (names.some(isHugePage) && !names.includes('cpu') && !names.includes('memory')) {
    resources.forbidden('', 'HugePages require cpu or memory')
  }
}

/** What the runtime of a pod takes for itself: amounts that a container could ask for. Errors stand at limits. */
export const overhead: Check<Readonly<Record<string, string>>> = (amounts) => {
  const names = Object.keys(amounts.value ?? {})
  const at = (name: string) => `limits[${name}]`
  for (const name of names) {
    const amount = amounts.value[name] ?? ''
    amounts.invalidAll(at(name), containerNameProblems(name, amounts.domain), shownName(name))
    amounts.invalidAll(at(name), amountProblems(name, amount, amounts.domain), amount)
  }
  if (names.some(isHugePage) && !names.includes('cpu') && !names.includes('memory')) {
    amounts.forbidden('', 'HugePages require cpu or memory')
  }
}

function checkAmounts(resources: Field<ResourceRequirements>, key: 'limits' | 'requests'): void {
  resources.each(key, (amount, _, name) => {
    amount.invalidAll('', containerNameProblems(name, amount.domain), shownName(name))
    amount.invalidAll('', amountProblems(name, amount.value, amount.domain))
  })
}

const fine: readonly string[] = []
const billion = 1_000_000_000n

/** What is wrong with an amount of a resource. */
export function amountProblems(name: string, text: string, domain: string): readonly string[] {
  // What was read is in its canonical form, so a sign stands in front and says what it says.
  if (text.startsWith('-')) return ['must be greater than or equal to 0']
  if (!isWhole(name, domain)) return fine
  const amount = parseQuantity(text)
  return amount !== undefined && amount.nanos % billion !== 0n ? ['must be an integer'] : fine
}

/**
 * Equal texts are not parsed. What cannot be overcommitted, such as devices and large pages, needs
 * a limit, and its request is equal to it.
 */
function checkLimit(resources: Field<ResourceRequirements>, name: string): void {
  const { limits = {}, requests = {} } = resources.value
  const shared = isOvercommitted(name, resources.domain)
  if (!Object.hasOwn(limits, name)) {
    if (!shared) resources.required('limits', 'Limit must be set for non overcommitable resources')
    return
  }
  const [text = '', most = ''] = [requests[name], limits[name]]
  if (text === most) return
  const [request, limit] = [parseQuantity(text), parseQuantity(most)]
  if (request === undefined || limit === undefined) return
  const order = compareQuantities(request, limit)
  if (order === 0 || (order < 0 && shared)) return
  const bound = shared ? 'less than or equal to' : 'equal to'
  resources.invalid('requests', `must be ${bound} ${name} limit of ${most}`, text)
}
