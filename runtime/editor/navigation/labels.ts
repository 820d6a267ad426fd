/** Renaming a label of pods together with the selectors that find them by it. */
import { labelValueProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import { entryOf, type Step, spotAt, textAt } from '../text/cursor.ts'
import type { ObjectAt } from '../text/object-at.ts'
import { objectAt } from '../text/object-at.ts'
import type {
  OutlineDocument,
  OutlineEntry,
  OutlineMap,
  OutlineNode,
} from '../text/outline-nodes.ts'

/** A text of the workspace. */
export interface LabelledText {
  readonly file: string
  readonly documents: readonly OutlineDocument[]
}

/** A label at a place: its key or its value is meant. */
export interface LabelSubject {
  readonly key: string
  readonly value: string
  readonly is: 'key' | 'value'
  readonly map: OutlineMap
  readonly start: number
  readonly end: number
}

/** A part of a text that gets the new name. */
export interface LabelPlace {
  readonly file: string
  readonly start: number
  readonly end: number
}

/** Where the label stands, or why it cannot be renamed. */
export type LabelRenaming =
  | { readonly places: readonly LabelPlace[] }
  | { readonly refused: string }

/** Labels of pods, or what a selector asks of them. */
interface LabelMap {
  readonly file: string
  readonly map: OutlineMap
  readonly selects: boolean
  readonly namespace: string
  readonly object: string
  readonly labels: ReadonlyMap<string, string>
}

/** The label of pods, or of a selector of pods, at an offset of a text. */
export function labelAt(text: LabelledText, offset: number): LabelSubject | undefined {
  const spot = spotAt(text.documents, offset)
  const { entry, around, start = 0, end = 0 } = spot ?? {}
  const value = entry?.value
  if (spot === undefined || entry === undefined || value?.is !== 'scalar') return undefined
  const found = labelMaps(text).find(({ map }) => map === around)
  if (found === undefined) return undefined
  return { key: entry.key, value: value.text, is: spot.is, map: found.map, start, end }
}

/**
 * Renames a label wherever pods and selectors depend on each other by it: the selectors that find the pods, the pods that these find, and so
 * on. A label that other pods or selectors have already is refused, for they would be found, too.
 */
export function labelRenaming(
  { key, value, is, map }: LabelSubject,
  fresh: string,
  texts: readonly LabelledText[],
): LabelRenaming {
  const [wrong] = is === 'key' ? qualifiedNameProblems(fresh) : labelValueProblems(fresh)
  if (wrong !== undefined) return { refused: `${fresh}: ${wrong}` }
  const all = texts.flatMap(labelMaps)
  const start = all.find((one) => one.map === map)
  if (start === undefined) return { refused: `${key}: there is no such label` }
  const near = all.filter(({ namespace }) => namespace === start.namespace)
  const meant = connected(start, near, key, value)
  const [freshKey, freshValue] = is === 'key' ? [fresh, value] : [key, fresh]
  const taken = near.find(
    (one) => (is === 'key' || !meant.has(one)) && one.labels.get(freshKey) === freshValue,
  )
  if (taken !== undefined || (is === 'key' && [...meant].some(({ labels }) => labels.has(fresh)))) {
    const by = taken ?? [...meant].find(({ labels }) => labels.has(fresh))
    return { refused: `${by?.object} has a label ${freshKey}: ${freshValue} already` }
  }
  const named = texts.flatMap((text) => expressionsWith(text, start.namespace, key))[0]
  if (named !== undefined) return { refused: `an expression of ${named} names the label ${key}` }
  return { places: [...meant].map((one) => placeOf(one, key, is)) }
}

function placeOf({ file, map }: LabelMap, key: string, is: LabelSubject['is']): LabelPlace {
  const entry = entryOf(map, key) as OutlineEntry
  if (is === 'key') return { file, start: entry.start, end: entry.keyEnd }
  const { start, end } = entry.value as OutlineNode
  return { file, start, end }
}

/** What depends on the first one by the label, to the last. */
function connected(
  first: LabelMap,
  all: readonly LabelMap[],
  key: string,
  value: string,
): ReadonlySet<LabelMap> {
  const candidates = all.filter(({ labels }) => labels.get(key) === value)
  const found = new Set([first])
  for (const one of found) {
    for (const other of candidates) {
      const [selector, pods] = one.selects ? [one, other] : [other, one]
      if (selector.selects && !pods.selects && finds(selector, pods)) found.add(other)
    }
  }
  return found
}

function finds({ labels: wanted }: LabelMap, { labels }: LabelMap): boolean {
  return [...wanted].every(([key, value]) => labels.get(key) === value)
}

const templates = [
  ['spec', 'template'],
  ['spec', 'jobTemplate', 'spec', 'template'],
]
/** Kinds that select pods by labels alone. */
const plainSelectors = ['Service', 'ReplicationController']
const selectorKeys = ['selector', 'podSelector', 'labelSelector']
/** Their selectors find other objects than pods. */
const otherSelectors = ['PersistentVolumeClaim', 'StorageClass']

function labelMaps({ file, documents }: LabelledText): readonly LabelMap[] {
  return documents.flatMap((document) =>
    objectsOf(document).flatMap(({ node, kind = '', base }) => {
      const at = (...path: readonly Step[]) => nodeIn(node, path)
      const namespace = textAt(document, ...base, 'metadata', 'namespace') ?? 'default'
      const object = `${kind} ${textAt(document, ...base, 'metadata', 'name') ?? ''}`
      const pods = [
        kind === 'Pod' ? at('metadata', 'labels') : undefined,
        ...templates.map((path) => at(...path, 'metadata', 'labels')),
      ]
      const plain = plainSelectors.includes(kind) ? at('spec', 'selector') : undefined
      const selectors = otherSelectors.includes(kind) ? [] : matchLabels(node)
      const made = (map: OutlineNode | undefined, selects: boolean): readonly LabelMap[] =>
        map?.is === 'map' && map.entries.length > 0
          ? [{ file, map, selects, namespace, object, labels: labelsOf(map) }]
          : []
      return [
        ...pods.flatMap((map) => made(map, false)),
        ...[plain, ...selectors].flatMap((map) => made(map, true)),
      ]
    }),
  )
}

function labelsOf({ entries }: OutlineMap): ReadonlyMap<string, string> {
  const pairs = entries.flatMap(({ key, value }) =>
    value?.is === 'scalar' ? [[key, value.text] as const] : [],
  )
  return new Map(pairs)
}

/** The document, or the objects of a List. */
function objectsOf(document: OutlineDocument): readonly ObjectAt[] {
  const items = nodeIn(document.value, ['items'])
  if (textAt(document, 'kind') !== 'List' || items?.is !== 'list') return [objectAt(document, [])]
  return items.items.map((_, index) => objectAt(document, ['items', index]))
}

function nodeIn(node: OutlineNode | undefined, path: readonly Step[]): OutlineNode | undefined {
  return path.reduce<OutlineNode | undefined>(
    (found, step) =>
      typeof step === 'number'
        ? found?.is === 'list'
          ? found.items[step]?.value
          : undefined
        : entryOf(found, step)?.value,
    node,
  )
}

/** What selectors of pods ask for, wherever they stand. */
function matchLabels(node: OutlineNode | undefined): readonly OutlineNode[] {
  return selectorsIn(node).flatMap((one) => entryOf(one, 'matchLabels')?.value ?? [])
}

function selectorsIn(node: OutlineNode | undefined): readonly OutlineNode[] {
  if (node === undefined || node.is === 'scalar') return []
  if (node.is === 'list') return node.items.flatMap(({ value }) => selectorsIn(value))
  return node.entries.flatMap(({ key, value }) => {
    if (key === 'namespaceSelector' || value === undefined) return []
    return selectorKeys.includes(key) ? [value] : selectorsIn(value)
  })
}

/** The objects of which an expression names the key. */
function expressionsWith(
  { documents }: LabelledText,
  namespace: string,
  key: string,
): readonly string[] {
  return documents.flatMap((document) =>
    objectsOf(document).flatMap(({ node, kind = '', base }) => {
      const own = textAt(document, ...base, 'metadata', 'namespace') ?? 'default'
      const isNamed = selectorsIn(node).some((selector) => {
        const list = entryOf(selector, 'matchExpressions')?.value
        const items = list?.is === 'list' ? list.items : []
        return items.some(({ value }) => {
          const named = entryOf(value, 'key')?.value
          return named?.is === 'scalar' && named.text === key
        })
      })
      const name = textAt(document, ...base, 'metadata', 'name') ?? ''
      return own === namespace && isNamed ? [`${kind} ${name}`] : []
    }),
  )
}
