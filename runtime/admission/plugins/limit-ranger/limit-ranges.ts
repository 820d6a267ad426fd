/** Limit ranges as they are stored, made ready once for each version of the object. */
import type { LimitRange, LimitRangeItem } from '../../../../generated/apis/core/v1/limit-range.ts'
import type { Quantity } from '../../../kernel/values/quantity.ts'
import { type PluginContext, type StoredObject, servedKind } from '../../chain/plugin-context.ts'
import { parseResourceList, type QuantityTexts } from '../pods/resource-lists.ts'

/** Amounts that something is held to, in order of their names. */
export type Bounds = readonly (readonly [name: string, bound: Quantity])[]

/** What holds for the objects of one type. */
export interface ParsedLimit {
  readonly type: string
  readonly min: Bounds
  readonly max: Bounds
  readonly ratio: Bounds
}

/** One limit range. */
export interface ParsedLimitRange {
  readonly limits: readonly ParsedLimit[]
  /** What containers get that do not say it. */
  readonly defaults: Readonly<Record<'limits' | 'requests', Readonly<Record<string, string>>>>
}

const known = new WeakMap<StoredObject, ParsedLimitRange>()

/** The limit ranges of a namespace, by their names. */
export function limitRangesIn(
  world: PluginContext,
  namespace: string | undefined,
): readonly ParsedLimitRange[] {
  const kind = servedKind(world, 'api/v1/limitranges')
  return kind === undefined ? [] : world.lister.list(kind, namespace).map(parsedOnce)
}

function parsedOnce(stored: StoredObject): ParsedLimitRange {
  const limits = known.get(stored) ?? parseLimitRange(stored.object() as LimitRange)
  known.set(stored, limits)
  return limits
}

function parseLimitRange({ spec }: LimitRange): ParsedLimitRange {
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

function limitOf({ type, min, max, maxLimitRequestRatio }: LimitRangeItem): ParsedLimit {
  return { type, min: boundsOf(min), max: boundsOf(max), ratio: boundsOf(maxLimitRequestRatio) }
}

function boundsOf(texts: QuantityTexts): Bounds {
  return [...parseResourceList(texts)].sort(([a], [b]) => (a < b ? -1 : 1))
}
