/** What exceeds the bounds of a limit range. Problems are generated one by one: a pod may have very many containers. */
import type { PersistentVolumeClaim } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { compareQuantities, printQuantity, type Quantity } from '../../../kernel/values/quantity.ts'
import { parseResourceList, podResources, type ResourceList } from '../../../pods/pods.ts'
import { containersOf, podSpecOf } from '../pods/pod-spec.ts'
import type { ParsedLimit, ParsedLimitRange } from './limit-ranges.ts'

/** The resources of a container, or of a pod as a whole. */
type Resources = Readonly<Record<'requests' | 'limits', ResourceList>>

/**
 * The problems of a pod and of each of its containers. Problems come in the order of the limits of
 * the range, and for a limit of containers in that of the containers, init containers first.
 */
export function* podProblems({ limits }: ParsedLimitRange, pod: ApiObject): Iterable<string> {
  const spec = podSpecOf(pod)
  const containers = containersOf(spec).map(({ resources }) => ({
    requests: parseResourceList(resources?.requests),
    limits: parseResourceList(resources?.limits),
  }))
  const whole = { requests: podResources(spec, 'requests'), limits: podResources(spec, 'limits') }
  for (const limit of limits) {
    if (limit.type === 'Pod') yield* resourceProblems(limit, whole)
    if (limit.type !== 'Container') continue
    for (const container of containers) yield* resourceProblems(limit, container)
  }
}

/**
 * The problems of a persistent volume claim. Only requests count, since a claim has no limit on
 * storage; a ratio means nothing for it.
 */
export function* claimProblems({ limits }: ParsedLimitRange, claim: ApiObject): Iterable<string> {
  const requests = parseResourceList((claim as PersistentVolumeClaim).spec?.resources?.requests)
  for (const limit of limits) {
    if (limit.type !== 'PersistentVolumeClaim') continue
    for (const [name, bound] of limit.min) {
      yield* boundProblem({ word: 'minimum', name, bound, limit }, ['request', requests.get(name)])
    }
    for (const [name, bound] of limit.max) {
      yield* boundProblem({ word: 'maximum', name, bound, limit }, ['request', requests.get(name)])
    }
  }
}

/** The minimum is compared with the request first, the maximum with the limit: that one has to be specified. */
function* resourceProblems(limit: ParsedLimit, resources: Resources): Iterable<string> {
  const request = (name: string): Specified => ['request', resources.requests.get(name)]
  const most = (name: string): Specified => ['limit', resources.limits.get(name)]
  for (const [name, bound] of limit.min) {
    yield* boundProblem({ word: 'minimum', name, bound, limit }, request(name), most(name))
  }
  for (const [name, bound] of limit.max) {
    yield* boundProblem({ word: 'maximum', name, bound, limit }, most(name), request(name))
  }
  for (const [name, bound] of limit.ratio) {
    const start = `${name} max limit to request ratio per ${limit.type} is ${printQuantity(bound)}`
    const problem = ratioProblem(bound, resources.requests.get(name), resources.limits.get(name))
    if (problem !== undefined) yield `${start}, but ${problem}`
  }
}

/** One bound of a limit range. */
interface Bound {
  readonly word: 'minimum' | 'maximum'
  readonly name: string
  readonly bound: Quantity
  readonly limit: ParsedLimit
}

type Specified = readonly ['request' | 'limit', Quantity | undefined]

/** The first quantity that is outside of a bound, if any. The first one has to be specified. */
function* boundProblem(
  { word, name, bound, limit }: Bound,
  ...specified: readonly [Specified, ...Specified[]]
): Iterable<string> {
  const start = `${word} ${name} usage per ${limit.type} is ${printQuantity(bound)}`
  const [[what, required]] = specified
  if (required === undefined) {
    yield `${start}.  No ${what} is specified`
    return
  }
  for (const [side, quantity] of specified) {
    if (quantity === undefined) continue
    const order = compareQuantities(quantity, bound)
    if (word === 'minimum' ? order >= 0 : order <= 0) continue
    yield `${start}, but ${side} is ${printQuantity(quantity)}`
    return
  }
}

/** Compares limit and request without division: `limit <= bound * request`, in nanos. The quotient is only printed. */
function ratioProblem(
  bound: Quantity,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string | undefined {
  if (request === undefined || request.nanos === 0n)
    return 'no request is specified or request is 0'
  if (limit === undefined || limit.nanos === 0n) return 'no limit is specified or limit is 0'
  const isWithin = limit.nanos * 10n ** 9n <= bound.nanos * request.nanos
  if (isWithin) return undefined
  const ratio = Number(limit.nanos) / Number(request.nanos)
  return `provided ratio is ${ratio.toFixed(6)}`
}
