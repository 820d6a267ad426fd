import type { PersistentVolumeClaim } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { compareQuantities, printQuantity, type Quantity } from '../../../kernel/values/quantity.ts'
import { isMainResource, isResource } from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import type { PluginContext } from '../../chain/plugin-context.ts'
import {
  type Container,
  containersOf,
  isPodWrite,
  podSpecOf,
  withPodSpec,
} from '../pods/pod-spec.ts'
import {
  parseResourceList,
  podResources,
  type QuantityTexts,
  type ResourceList,
} from '../pods/resource-lists.ts'
import {
  type Bounds,
  limitRangesIn,
  type ParsedLimit,
  type ParsedLimitRange,
} from './limit-ranges.ts'

/** Containers get the amounts that their namespace has for them, and nobody exceeds its bounds (supplement Q-14). */
export const limitRanger: PluginFactory = (world) => ({
  handles: (place) =>
    (isPodWrite(place) && place.operation === 'CREATE') ||
    (isResource(place, '', 'persistentvolumeclaims') &&
      isMainResource(place) &&
      (place.operation === 'CREATE' || place.operation === 'UPDATE')),
  mutate(subject) {
    const { object, namespace } = subject
    if (object === undefined || !isPodWrite(subject)) return object
    return limitRangesIn(world, namespace).reduce(
      (pod, { defaults }) => withDefaults(world, pod, defaults),
      object,
    )
  },
  validate(subject) {
    const { object, namespace } = subject
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return
    for (const range of limitRangesIn(world, namespace)) {
      const wrong = takeProblems(
        isPodWrite(subject) ? podProblems(range, object) : claimProblems(range, object),
      )
      if (wrong.length === 1) throw forbidden(subject, wrong[0] ?? '')
      if (wrong.length > 1) throw forbidden(subject, `[${wrong.join(', ')}]`)
    }
  },
})

/** How much of what is wrong is told: a pod may have very many containers. */
const maxProblems = 100

function takeProblems(problems: Iterable<string>): readonly string[] {
  const found: string[] = []
  for (const problem of problems) {
    if (found.length === maxProblems) return [...found, 'and more']
    found.push(problem)
  }
  return found
}

function withDefaults(
  { scheme }: PluginContext,
  pod: ApiObject,
  defaults: ParsedLimitRange['defaults'],
): ApiObject {
  const told: string[] = []
  const fill = (what: string) => (container: Container) => {
    const requests = missing(container.resources?.requests, defaults.requests)
    const limits = missing(container.resources?.limits, defaults.limits)
    for (const [names, side] of [
      [Object.keys(requests), 'request'],
      [Object.keys(limits), 'limit'],
    ] as const) {
      if (names.length > 0)
        told.push(`${names.sort().join(', ')} ${side} for ${what} ${container.name}`)
    }
    const resources = {
      ...container.resources,
      limits: { ...container.resources?.limits, ...limits },
      requests: { ...container.resources?.requests, ...requests },
    }
    return { ...container, resources } as Container
  }
  const spec = podSpecOf(pod)
  const containers = (spec.containers ?? []).map(fill('container'))
  const initContainers = spec.initContainers?.map(fill('init container'))
  if (told.length === 0) return pod
  const note = `LimitRanger plugin set: ${told.join('; ')}`
  const annotations = {
    ...pod.metadata.annotations,
    [`${scheme.platform.domain}/limit-ranger`]: note,
  }
  const named = { ...pod, metadata: { ...pod.metadata, annotations } }
  return withPodSpec(named, { containers, ...(initContainers && { initContainers }) })
}

function missing(given: QuantityTexts, defaults: QuantityTexts): Readonly<Record<string, string>> {
  const absent = Object.entries(defaults ?? {}).filter(
    ([name]) => !Object.hasOwn(given ?? {}, name),
  )
  return Object.fromEntries(absent)
}

function* podProblems({ limits }: ParsedLimitRange, pod: ApiObject): Iterable<string> {
  const spec = podSpecOf(pod)
  const asked = containersOf(spec).map(({ resources }) => ({
    requests: parseResourceList(resources?.requests),
    limits: parseResourceList(resources?.limits),
  }))
  const all = { requests: podResources(spec, 'requests'), limits: podResources(spec, 'limits') }
  for (const limit of limits) {
    if (limit.type === 'Pod') yield* limitProblems(limit, all)
    if (limit.type !== 'Container') continue
    for (const each of asked) yield* limitProblems(limit, each)
  }
}

function* claimProblems({ limits }: ParsedLimitRange, claim: ApiObject): Iterable<string> {
  const requests = parseResourceList((claim as PersistentVolumeClaim).spec?.resources?.requests)
  const request = (name: string): SpecifiedAmount => ['request', requests.get(name)]
  for (const limit of limits) {
    if (limit.type !== 'PersistentVolumeClaim') continue
    yield* boundProblems(limit.min, (name, bound) =>
      boundProblem('minimum', limit, name, bound, [request(name)]),
    )
    yield* boundProblems(limit.max, (name, bound) =>
      boundProblem('maximum', limit, name, bound, [request(name)]),
    )
  }
}

/** What a container, or a pod as a whole, asks for and may use. */
type RequestedResources = Readonly<Record<'requests' | 'limits', ResourceList>>

function* limitProblems(
  limit: ParsedLimit,
  { requests, limits }: RequestedResources,
): Iterable<string> {
  const request = (name: string): SpecifiedAmount => ['request', requests.get(name)]
  const most = (name: string): SpecifiedAmount => ['limit', limits.get(name)]
  yield* boundProblems(limit.min, (name, bound) =>
    boundProblem('minimum', limit, name, bound, [request(name), most(name)]),
  )
  yield* boundProblems(limit.max, (name, bound) =>
    boundProblem('maximum', limit, name, bound, [most(name), request(name)]),
  )
  yield* boundProblems(limit.ratio, (name, bound) =>
    ratioProblem(limit, name, bound, requests.get(name), limits.get(name)),
  )
}

function* boundProblems(
  bounds: Bounds,
  look: (name: string, bound: Quantity) => string | undefined,
): Iterable<string> {
  for (const [name, bound] of bounds) {
    const problem = look(name, bound)
    if (problem !== undefined) yield problem
  }
}

function above(amount: Quantity, bound: Quantity): boolean {
  return compareQuantities(amount, bound) > 0
}

type BoundWord = 'minimum' | 'maximum'
type SpecifiedAmount = readonly ['request' | 'limit', Quantity | undefined]

/** What is wrong with amounts of which the first has to be stated. */
function boundProblem(
  word: BoundWord,
  { type }: ParsedLimit,
  name: string,
  bound: Quantity,
  stated: readonly [SpecifiedAmount, ...SpecifiedAmount[]],
): string | undefined {
  const start = `${word} ${name} usage per ${type} is ${printQuantity(bound)}`
  const [[what, needed]] = stated
  if (needed === undefined) return `${start}.  No ${what} is specified`
  for (const [side, amount] of stated) {
    if (amount === undefined) continue
    const outside = word === 'minimum' ? above(bound, amount) : above(amount, bound)
    if (outside) return `${start}, but ${side} is ${printQuantity(amount)}`
  }
  return undefined
}

function ratioProblem(
  { type }: ParsedLimit,
  name: string,
  bound: Quantity,
  request: Quantity | undefined,
  most: Quantity | undefined,
): string | undefined {
  const start = `${name} max limit to request ratio per ${type} is ${printQuantity(bound)}`
  if (request === undefined || request.nanos === 0n)
    return `${start}, but no request is specified or request is 0`
  if (most === undefined || most.nanos === 0n)
    return `${start}, but no limit is specified or limit is 0`
  const ratio = Number(most.nanos) / Number(request.nanos)
  const within = most.nanos * 10n ** 9n <= bound.nanos * request.nanos
  return within ? undefined : `${start}, but provided ratio is ${ratio.toFixed(6)}`
}
