import type { LimitRange, LimitRangeItem } from '../../../../generated/apis/core/v1/limit-range.ts'
import type { Quantity } from '../../../kernel/values/quantity.ts'
import { parseResourceList, type QuantityTexts } from '../../../pods/pods.ts'
import { ParsedObjects } from '../../chain/parsed-objects.ts'
import { listStored, type PluginContext } from '../../chain/plugin-context.ts'

/** Bounds by the names of resources, in the order of these. */
export type Bounds = readonly (readonly [name: string, bound: Quantity])[]

/** The bounds for one type of objects: `Pod`, `Container` or `PersistentVolumeClaim`. */
export interface ParsedLimit {
  readonly type: string
  readonly min: Bounds
  readonly max: Bounds
  /** The largest ratio of limit to request. */
  readonly ratio: Bounds
}

/** A parsed limit range. */
export interface ParsedLimitRange {
  readonly limits: readonly ParsedLimit[]
  /** The limits and requests of containers that specify none. */
  readonly defaults: Readonly<Record<'limits' | 'requests', Readonly<Record<string, string>>>>
}

/** The limit ranges of a server; each version of one is parsed once. */
export class LimitRanges {
  readonly #context: PluginContext
  readonly #parsed = new ParsedObjects((stored) => parseLimitRange(stored.object() as LimitRange))

  constructor(context: PluginContext) {
    this.#context = context
  }

  /** The limit ranges of a namespace, ordered by name. */
  in(namespace: string | undefined): readonly ParsedLimitRange[] {
    return listStored(this.#context, 'api/v1/limitranges', namespace).map((stored) =>
      this.#parsed.get(stored),
    )
  }
}

/** Defaults are those of the first item of the type Container. */
function parseLimitRange({ spec }: LimitRange): ParsedLimitRange {
  const items = spec?.limits ?? []
  const container = items.find(({ type }) => type === 'Container')
  return {
    limits: items.map(parseLimit),
    defaults: {
      limits: container?.default ?? {},
      requests: container?.defaultRequest ?? {},
    },
  }
}

function parseLimit({ type, min, max, maxLimitRequestRatio }: LimitRangeItem): ParsedLimit {
  return { type, min: boundsOf(min), max: boundsOf(max), ratio: boundsOf(maxLimitRequestRatio) }
}

function boundsOf(texts: QuantityTexts): Bounds {
  return [...parseResourceList(texts)].sort(([a], [b]) => (a < b ? -1 : 1))
}
