import { type FieldRequirement, matchesFields, parseFieldSelector } from '../kernel/fields.ts'
import type { Kind } from '../kernel/kind.ts'
import { type LabelRequirement, matchesLabels, parseLabelSelector } from '../kernel/labels.ts'
import { valueAt } from '../kernel/paths.ts'
import { StatusError } from '../kernel/status.ts'
import { prefixOf } from './keys.ts'
import type { Item, Target } from './registry.ts'

/** Which objects a list or a watch is about. */
export interface Selection {
  /** What the keys of all matches begin with. */
  readonly prefix: string
  /** Undefined if every object under the prefix is wanted. */
  readonly matches?: (item: Item) => boolean
}

interface Selectors {
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Compiles the selectors of a request. Fails with BadRequest if one cannot be read or names an unknown field. */
export function selectionOf(target: Target, selectors: Selectors): Selection {
  const labels = parseLabelSelector(selectors.labelSelector ?? '')
  const fields = parseFieldSelector(selectors.fieldSelector ?? '')
  for (const { field } of fields) checkField(target.kind, field)
  const prefix = narrowed(target, fields)
  if (labels.length === 0 && fields.length === 0) return { prefix }
  return { prefix, matches: (item) => matches(target.kind, labels, fields, item) }
}

/** A pinned name narrows the prefix, if it is known where the name stands in the key. */
function narrowed(target: Target, fields: readonly FieldRequirement[]): string {
  const pinned = (field: string) => fields.find((one) => one.equals && one.field === field)?.value
  const namespace = target.namespace ?? pinned('metadata.namespace')
  const prefix = prefixOf({ kind: target.kind, ...(namespace && { namespace }) })
  const known = target.kind.scope === 'Cluster' || namespace
  return known ? `${prefix}${target.name ?? pinned('metadata.name') ?? ''}` : prefix
}

function checkField(kind: Kind, field: string): void {
  const { selectableFields, scope } = kind
  if (field === 'metadata.name') return
  if (field === 'metadata.namespace' && scope === 'Namespaced') return
  if (Object.hasOwn(selectableFields, field)) return
  throw new StatusError(
    'BadRequest',
    Object.keys(selectableFields).length > 0
      ? `field label not supported: ${field}`
      : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  )
}

function matches(
  kind: Kind,
  labels: readonly LabelRequirement[],
  fields: readonly FieldRequirement[],
  item: Item,
): boolean {
  const object = item.object()
  const read = (field: string) => valueAt(object, kind.selectableFields[field] ?? field)
  return matchesLabels(labels, object.metadata.labels) && matchesFields(fields, read)
}
