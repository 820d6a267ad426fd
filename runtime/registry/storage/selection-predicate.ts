import type { Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import {
  type FieldRequirement,
  matchesFields,
  parseFieldSelector,
} from '../../kernel/meta/field-selector.ts'
import { matchesLabels } from '../../kernel/meta/label-selector.ts'
import { parseLabelSelector } from '../../kernel/meta/label-selector-parser.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import { type RawPath, rawJsonAt, rawPath } from '../../serializer/serializer.ts'
import type { Item, Target } from '../contract/contract.ts'
import { collectionPrefix } from './keys.ts'

/** The objects that a list or a watch is about. */
export interface SelectionPredicate {
  /** What the keys of all matches begin with. */
  readonly prefix: string
  /** True if the request names one object and where it stands. */
  readonly single: boolean
  /** Undefined if every object under the prefix matches. */
  readonly matches?: (item: Item) => boolean
  /** How many terms an object is compared with. */
  readonly terms: number
}

/** The selectors of a request, as its query parameters have them. */
interface Selectors {
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Selectors that were read: whether a kind has the fields is not known yet. */
export interface ParsedSelectors {
  readonly labels: ReturnType<typeof parseLabelSelector>
  readonly fields: readonly FieldRequirement[]
}

/** Reads the selectors of a request. @throws StatusError BadRequest for a text that is none. */
export function parseSelectors({
  labelSelector = '',
  fieldSelector = '',
}: Selectors): ParsedSelectors {
  return { labels: parseLabelSelector(labelSelector), fields: parseFieldSelector(fieldSelector) }
}

/** Compiles the selectors of a request. @throws StatusError BadRequest if one names an unknown field. */
export function selectionPredicate(
  target: Target,
  { labels, fields }: ParsedSelectors,
): SelectionPredicate {
  for (const { field } of fields) checkField(target.kind, field)
  const prefix = narrowedPrefix(target, fields)
  const single =
    (target.namespace !== undefined || target.kind.scope === 'Cluster') &&
    fields.some((one) => one.equals && one.field === 'metadata.name')
  if (labels.length === 0 && fields.length === 0) return { prefix, single, terms: 0 }
  const read = fieldReader(target.kind, fields)
  const matches = (item: Item): boolean =>
    (labels.length === 0 || matchesLabels(labels, labelsOf(item))) &&
    (fields.length === 0 || matchesFields(fields, read(item)))
  return { prefix, single, matches, terms: labels.length + fields.length }
}

/** A pinned name narrows the prefix, if it is known where the name stands in the key. */
function narrowedPrefix(target: Target, fields: readonly FieldRequirement[]): string {
  const pinned = (field: string) => fields.find((one) => one.equals && one.field === field)?.value
  const namespaced = target.kind.scope === 'Namespaced'
  const namespace = target.namespace ?? (namespaced ? pinned('metadata.namespace') : undefined)
  const prefix = collectionPrefix({ kind: target.kind, ...(namespace && { namespace }) })
  const known = !namespaced || namespace
  return known ? `${prefix}${target.name ?? pinned('metadata.name') ?? ''}` : prefix
}

/**
 * Every kind can be selected by name and namespace, also one that has none unless it has fields of its own to be selected by; these
 * are named by its schema.
 */
function checkField(kind: Kind, field: string): void {
  const { selectableFields, scope } = kind
  const own = Object.keys(selectableFields).length > 0
  if (field === 'metadata.name') return
  if (field === 'metadata.namespace' && (scope === 'Namespaced' || !own)) return
  if (Object.hasOwn(selectableFields, field)) return
  throw new StatusError(
    'BadRequest',
    own
      ? `field label not supported: ${field}`
      : `${quoted(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  )
}

type Labels = Readonly<Record<string, string>>

const labelsPath = rawPath('metadata.labels')
/** The labels of items that were selected from before. */
const memos = new WeakMap<Item, Labels>()

/** The labels of an object, read once for all who select by them. Nothing else of it is parsed. */
function labelsOf(item: Item): Labels {
  let labels = memos.get(item)
  if (labels === undefined) {
    const raw = rawJsonAt(item.bytes, labelsPath)
    labels = raw === undefined ? {} : (JSON.parse(raw.toString()) as Labels)
    memos.set(item, labels)
  }
  return labels
}

/** Reads selectable fields of an item as text, each once; undefined for a text that is absent. */
function fieldReader(kind: Kind, fields: readonly FieldRequirement[]) {
  const paths = new Map<string, RawPath>(
    fields.map(({ field }) => [field, rawPath(kind.selectableFields[field] ?? field)]),
  )
  const read = (item: Item, field: string): string | undefined => {
    const path = paths.get(field)
    const raw = path && rawJsonAt(item.bytes, path)?.toString()
    if (raw === undefined || raw === 'null') return kind.selectableZeros?.[field]
    return raw.startsWith('"') ? (JSON.parse(raw) as string) : raw
  }
  if (fields.length === paths.size) return (item: Item) => (field: string) => read(item, field)
  return (item: Item) => {
    const known = new Map<string, string | undefined>()
    return (field: string) => {
      if (!known.has(field)) known.set(field, read(item, field))
      return known.get(field)
    }
  }
}
