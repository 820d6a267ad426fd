/** Limit ranges as they are stored, made ready once for each version of the object. */
import type { LimitRange, LimitRangeItem } from '../../generated/apis/core/v1/limit-range.ts'
import type { Quantity } from '../kernel/quantity.ts'
import { type AmountTexts, amountsOf } from './amounts.ts'
import { resourceAt, type Stored, type World } from './world.ts'

/** Amounts that something is held to, in order of their names. */
export type Bounds = readonly (readonly [name: string, bound: Quantity])[]

/** What holds for the objects of one type. */
export interface Limit {
  readonly type: string
  readonly min: Bounds
  readonly max: Bounds
  readonly ratio: Bounds
}

/** One limit range. */
export interface Limits {
  readonly limits: readonly Limit[]
  /** What containers get that do not say it. */
  readonly defaults: Readonly<Record<'limits' | 'requests', Readonly<Record<string, string>>>>
}

const known = new WeakMap<Stored, Limits>()

/** The limit ranges of a namespace, by their names. */
export function limitsIn(world: World, namespace: string | undefined): readonly Limits[] {
  const kind = resourceAt(world, 'api/v1/limitranges')
  return kind === undefined ? [] : world.lister.list(kind, namespace).map(remembered)
}

function remembered(stored: Stored): Limits {
  const limits = known.get(stored) ?? read(stored.object() as LimitRange)
  known.set(stored, limits)
  return limits
}

function read({ spec }: LimitRange): Limits {
  const items = spec?.limits ?? []
  const own = items.find(({ type }) => type === 'Container')
  return {
    limits: items.map(limitOf),
    defaults: {
      limits: own?.default ?? {},
      requests: own?.defaultRequest ?? {},
    },
  }
}

function limitOf({ type, min, max, maxLimitRequestRatio }: LimitRangeItem): Limit {
  return { type, min: boundsOf(min), max: boundsOf(max), ratio: boundsOf(maxLimitRequestRatio) }
}

function boundsOf(texts: AmountTexts): Bounds {
  return [...amountsOf(texts)].sort(([a], [b]) => (a < b ? -1 : 1))
}
