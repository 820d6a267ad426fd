import type { PersistentVolumeClaim } from '../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { ApiObject } from '../kernel/object.ts'
import { compareQuantities, printQuantity, type Quantity } from '../kernel/quantity.ts'
import { type Amounts, type AmountTexts, amountsOf, podAmounts } from './amounts.ts'
import { isResource, isWhole } from './attempt.ts'
import { type Bounds, type Limit, type Limits, limitsIn } from './limits.ts'
import type { PluginFactory } from './plugin.ts'
import { type Container, containersOf, isPod, specOf, withSpec } from './pods.ts'
import { forbidden } from './refusal.ts'
import type { World } from './world.ts'

/** Containers get the amounts that their namespace has for them, and nobody exceeds its bounds (supplement Q-14). */
export const limitRanger: PluginFactory = (world) => ({
  handles: (place) =>
    (isPod(place) && place.operation === 'CREATE') ||
    (isResource(place, '', 'persistentvolumeclaims') &&
      isWhole(place) &&
      (place.operation === 'CREATE' || place.operation === 'UPDATE')),
  mutate(subject) {
    const { object, namespace } = subject
    if (object === undefined || !isPod(subject)) return object
    return limitsIn(world, namespace).reduce(
      (pod, { defaults }) => withDefaults(world, pod, defaults),
      object,
    )
  },
  validate(subject) {
    const { object, namespace } = subject
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return
    for (const range of limitsIn(world, namespace)) {
      const wrong = firstOf(
        isPod(subject) ? podProblems(range, object) : claimProblems(range, object),
      )
      if (wrong.length === 1) throw forbidden(subject, wrong[0] ?? '')
      if (wrong.length > 1) throw forbidden(subject, `[${wrong.join(', ')}]`)
    }
  },
})

/** How much of what is wrong is told: a pod may have very many containers. */
const mostProblems = 100

function firstOf(problems: Iterable<string>): readonly string[] {
  const found: string[] = []
  for (const problem of problems) {
    if (found.length === mostProblems) return [...found, 'and more']
    found.push(problem)
  }
  return found
}

function withDefaults({ tree }: World, pod: ApiObject, defaults: Limits['defaults']): ApiObject {
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
  const spec = specOf(pod)
  const containers = (spec.containers ?? []).map(fill('container'))
  const initContainers = spec.initContainers?.map(fill('init container'))
  if (told.length === 0) return pod
  const note = `LimitRanger plugin set: ${told.join('; ')}`
  const annotations = {
    ...pod.metadata.annotations,
    [`${tree.platform.domain}/limit-ranger`]: note,
  }
  const named = { ...pod, metadata: { ...pod.metadata, annotations } }
  return withSpec(named, { containers, ...(initContainers && { initContainers }) })
}

function missing(given: AmountTexts, defaults: AmountTexts): Readonly<Record<string, string>> {
  const absent = Object.entries(defaults ?? {}).filter(
    ([name]) => !Object.hasOwn(given ?? {}, name),
  )
  return Object.fromEntries(absent)
}

function* podProblems({ limits }: Limits, pod: ApiObject): Iterable<string> {
  const spec = specOf(pod)
  const asked = containersOf(spec).map(({ resources }) => ({
    requests: amountsOf(resources?.requests),
    limits: amountsOf(resources?.limits),
  }))
  const all = { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') }
  for (const limit of limits) {
    if (limit.type === 'Pod') yield* problemsOf(limit, all)
    if (limit.type !== 'Container') continue
    for (const each of asked) yield* problemsOf(limit, each)
  }
}

function* claimProblems({ limits }: Limits, claim: ApiObject): Iterable<string> {
  const requests = amountsOf((claim as PersistentVolumeClaim).spec?.resources?.requests)
  const request = (name: string): Stated => ['request', requests.get(name)]
  for (const limit of limits) {
    if (limit.type !== 'PersistentVolumeClaim') continue
    yield* each(limit.min, (name, bound) => beyond('minimum', limit, name, bound, [request(name)]))
    yield* each(limit.max, (name, bound) => beyond('maximum', limit, name, bound, [request(name)]))
  }
}

/** What a container, or a pod as a whole, asks for and may use. */
type Asked = Readonly<Record<'requests' | 'limits', Amounts>>

function* problemsOf(limit: Limit, { requests, limits }: Asked): Iterable<string> {
  const request = (name: string): Stated => ['request', requests.get(name)]
  const most = (name: string): Stated => ['limit', limits.get(name)]
  yield* each(limit.min, (name, bound) =>
    beyond('minimum', limit, name, bound, [request(name), most(name)]),
  )
  yield* each(limit.max, (name, bound) =>
    beyond('maximum', limit, name, bound, [most(name), request(name)]),
  )
  yield* each(limit.ratio, (name, bound) =>
    aboveRatio(limit, name, bound, requests.get(name), limits.get(name)),
  )
}

function* each(
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

type Word = 'minimum' | 'maximum'
type Stated = readonly ['request' | 'limit', Quantity | undefined]

/** What is wrong with amounts of which the first has to be stated. */
function beyond(
  word: Word,
  { type }: Limit,
  name: string,
  bound: Quantity,
  stated: readonly [Stated, ...Stated[]],
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

function aboveRatio(
  { type }: Limit,
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
