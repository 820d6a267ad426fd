import { type BytePath, bytePath, rawAt } from '../codec/codec.ts'
import { type FieldRequirement, matchesFields, parseFieldSelector } from '../kernel/fields.ts'
import type { Kind } from '../kernel/kind.ts'
import { matchesLabels, parseLabelSelector } from '../kernel/labels.ts'
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
  const read = fieldReader(target.kind, fields)
  const matches = (item: Item): boolean =>
    (labels.length === 0 || matchesLabels(labels, labelsOf(item))) &&
    (fields.length === 0 || matchesFields(fields, (field) => read(item, field)))
  return { prefix, matches }
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

type Labels = Readonly<Record<string, string>>

const labelsPath = bytePath('metadata.labels')
const memos = new WeakMap<Item, Labels>()

/** The labels of an object, read once for all who select by them. Nothing else of it is parsed. */
function labelsOf(item: Item): Labels {
  let labels = memos.get(item)
  if (labels === undefined) {
    const raw = rawAt(item.bytes, labelsPath)
    labels = raw === undefined ? {} : (JSON.parse(raw.toString()) as Labels)
    memos.set(item, labels)
  }
  return labels
}

/** Reads selectable fields as text; undefined where there is none. */
function fieldReader(kind: Kind, fields: readonly FieldRequirement[]) {
  const paths = new Map<string, BytePath>(
    fields.map(({ field }) => [field, bytePath(kind.selectableFields[field] ?? field)]),
  )
  return (item: Item, field: string): string | undefined => {
    const path = paths.get(field)
    const raw = path && rawAt(item.bytes, path)?.toString()
    if (raw === undefined || raw === 'null') return undefined
    return raw.startsWith('"') ? (JSON.parse(raw) as string) : raw
  }
}
