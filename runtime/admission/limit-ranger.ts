import type { LimitRange, LimitRangeItem } from '../../generated/apis/core/v1/limit-range.ts'
import type { PersistentVolumeClaim } from '../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { ApiObject } from '../kernel/object.ts'
import { compareQuantities, printQuantity, type Quantity } from '../kernel/quantity.ts'
import { type Amounts, type AmountTexts, amountsOf, podAmounts } from './amounts.ts'
import { isResource, isWhole, type Subject } from './attempt.ts'
import type { PluginFactory } from './plugin.ts'
import { type Container, containersOf, isPod, specOf, withSpec } from './pods.ts'
import { forbidden } from './refusal.ts'
import { objectsAt, type World } from './world.ts'

/** Containers get the amounts that their namespace has for them, and nobody exceeds its bounds (supplement Q-14). */
export const limitRanger: PluginFactory = (world) => ({
  handles: (place) =>
    (isPod(place) && place.operation === 'CREATE') ||
    (isResource(place, '', 'persistentvolumeclaims') &&
      isWhole(place) &&
      (place.operation === 'CREATE' || place.operation === 'UPDATE')),
  mutate(subject) {
    if (subject.object === undefined || !isPod(subject)) return subject.object
    return limitsIn(world, subject)
      .map(defaultsOf)
      .reduce((pod, defaults) => withDefaults(world, pod, defaults), subject.object)
  },
  validate(subject) {
    const { object } = subject
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return
    for (const limits of limitsIn(world, subject)) {
      const wrong = limits.flatMap((limit) =>
        isPod(subject) ? podProblems(limit, object) : claimProblems(limit, object),
      )
      if (wrong.length === 1) throw forbidden(subject, wrong[0] ?? '')
      if (wrong.length > 1) throw forbidden(subject, `[${wrong.join(', ')}]`)
    }
  },
})

type Limit = LimitRangeItem

function limitsIn(world: World, { namespace }: Subject): readonly (readonly Limit[])[] {
  const ranges = objectsAt(world, 'api/v1/limitranges', namespace) as readonly LimitRange[]
  return ranges.map(({ spec }) => spec?.limits ?? [])
}

interface Defaults {
  readonly limits: AmountTexts
  readonly requests: AmountTexts
}

function defaultsOf(limits: readonly Limit[]): Defaults {
  const own = limits.filter(({ type }) => type === 'Container')
  return {
    limits: Object.assign({}, ...own.map((limit) => limit.default ?? {})),
    requests: Object.assign({}, ...own.map((limit) => limit.defaultRequest ?? {})),
  }
}

function withDefaults({ tree }: World, pod: ApiObject, defaults: Defaults): ApiObject {
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

function podProblems(limit: Limit, pod: ApiObject): readonly string[] {
  const spec = specOf(pod)
  switch (limit.type) {
    case 'Container':
      return containersOf(spec).flatMap(({ resources }) =>
        problemsOf(limit, amountsOf(resources?.requests), amountsOf(resources?.limits)),
      )
    case 'Pod':
      return problemsOf(limit, podAmounts(spec, 'requests'), podAmounts(spec, 'limits'))
    default:
      return []
  }
}

function claimProblems(limit: Limit, claim: ApiObject): readonly string[] {
  if (limit.type !== 'PersistentVolumeClaim') return []
  const requests = amountsOf((claim as PersistentVolumeClaim).spec?.resources?.requests)
  const look = (word: Word) => (name: string, bound: Quantity) =>
    beyond(word, limit, name, bound, [['request', requests.get(name)]])
  return [...each(limit.min, look('minimum')), ...each(limit.max, look('maximum'))]
}

function problemsOf(limit: Limit, requests: Amounts, limits: Amounts): readonly string[] {
  const request = (name: string): Stated => ['request', requests.get(name)]
  const most = (name: string): Stated => ['limit', limits.get(name)]
  return [
    ...each(limit.min, (name, bound) =>
      beyond('minimum', limit, name, bound, [request(name), most(name)]),
    ),
    ...each(limit.max, (name, bound) =>
      beyond('maximum', limit, name, bound, [most(name), request(name)]),
    ),
    ...each(limit.maxLimitRequestRatio, (name, bound) =>
      aboveRatio(limit, name, bound, requests.get(name), limits.get(name)),
    ),
  ]
}

function each(
  bounds: AmountTexts,
  look: (name: string, bound: Quantity) => string | undefined,
): readonly string[] {
  return [...amountsOf(bounds)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, bound]) => look(name, bound) ?? [])
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
