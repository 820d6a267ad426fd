/** The changes of a text that make a document one of a newer version. Every other byte stays. */
import type { MigrationStep } from '../../kernel/descriptors/migration-step.ts'
import type { LocatedEntry, LocatedValue, TextRange } from '../../serializer/serializer.ts'
import type { TextEdit } from '../rules/finding.ts'
import { Defaults } from './defaults.ts'
import { keyEdit, type Moved, nestingEdits } from './nesting.ts'

type Node = LocatedValue<TextRange>
type Entry = LocatedEntry<TextRange>

/** Why a document cannot be one of the newer version, and where. */
export interface Obstacle {
  readonly path: string
  readonly at: TextRange
  readonly why: string
}

/** What becomes of a document. */
export interface Migration {
  readonly edits: readonly TextEdit[]
  readonly obstacles: readonly Obstacle[]
}

/** The steps of a kind, applied to a document. */
export function migrate(text: string, root: Node, steps: readonly MigrationStep[]): Migration {
  const defaults = new Defaults(text)
  const edits: TextEdit[] = []
  const obstacles: Obstacle[] = []
  const deeper = new Map<Node, Moved[]>()
  for (const step of steps) {
    if ('rename' in step) {
      for (const { entry } of entriesAt(root, step.rename))
        edits.push(keyEdit(entry, last(step.to)))
    } else if ('move' in step) {
      for (const found of entriesAt(root, step.move)) add(deeper, found, step.move, step.to)
    } else if ('split' in step) {
      for (const found of entriesAt(root, step.split)) {
        const { value } = found.entry
        const isNumber = value.is === 'scalar' && typeof value.value === 'number'
        add(deeper, found, step.split, isNumber ? step.to.integer : step.to.string)
      }
    } else if ('default' in step) {
      const dot = step.default.lastIndexOf('.')
      const above = step.default.slice(0, Math.max(dot, 0))
      for (const { node, rest } of nodesAt(root, above, true)) {
        const missing = [...(rest === '' ? [] : rest.split('.')), last(step.default)]
        defaults.add(node, missing, step.value)
      }
    } else obstacles.push(...refused(root, step))
  }
  for (const [node, moved] of deeper) {
    const nested = nestingEdits(text, node, moved)
    if (nested === undefined) obstacles.push(...moved.map(apart))
    else edits.push(...nested)
  }
  return { edits: [...edits, ...defaults.edits()], obstacles }
}

function add(
  deeper: Map<Node, Moved[]>,
  { node, entry, path }: FoundEntry,
  from: string,
  to: string,
): void {
  const above = from.slice(0, from.lastIndexOf('.') + 1)
  const known = deeper.get(node) ?? []
  deeper.set(node, [...known, { entry, path, keys: to.slice(above.length).split('.') }])
}

function apart({ entry, path }: Moved): Obstacle {
  const why = 'the fields that become parts of one have to stand one after the other'
  return { path, at: entry.keyAt, why }
}

function refused(
  root: Node,
  step: Extract<MigrationStep, { readonly refuse: string }>,
): readonly Obstacle[] {
  const { refuse: path, when, why } = step
  const found = entriesAt(root, path)
  if (when === 'absent') return found.length > 0 ? [] : [{ path, at: root.at, why }]
  return found
    .filter(({ entry }) => when === 'present' || isEmpty(entry.value))
    .map(({ entry, path: own }) => ({ path: own, at: entry.keyAt, why }))
}

function isEmpty(node: Node): boolean {
  if (node.is === 'map') return node.entries.length === 0
  if (node.is === 'list') return node.items.length === 0
  return node.value === null || node.value === 0 || node.value === ''
}

interface FoundEntry {
  /** The map that has it. */
  readonly node: Node
  readonly entry: Entry
  readonly path: string
}

function entriesAt(root: Node, path: string): readonly FoundEntry[] {
  const dot = path.lastIndexOf('.')
  const key = path.slice(dot + 1)
  return nodesAt(root, path.slice(0, Math.max(dot, 0))).flatMap(({ node, path: above }) => {
    const entry = node.is === 'map' ? node.entries.find((one) => one.key === key) : undefined
    return entry === undefined
      ? []
      : [{ node, entry, path: above === '' ? key : `${above}.${key}` }]
  })
}

/** What stands at a path; with `nearest`, the map above what is not there, and the `rest` of the path. */
function nodesAt(
  node: Node,
  path: string,
  nearest = false,
  above = '',
): readonly { readonly node: Node; readonly path: string; readonly rest: string }[] {
  if (path === '') return [{ node, path: above, rest: '' }]
  const [, key = '', list, rest = ''] = /^([^.[]+)(\[\*\])?\.?(.*)$/s.exec(path) ?? []
  const entry = node.is === 'map' ? node.entries.find((one) => one.key === key) : undefined
  const here = above === '' ? key : `${above}.${key}`
  if (entry === undefined) {
    const isBelow = nearest && list === undefined && !path.includes('[')
    return isBelow ? [{ node, path: above, rest: path }] : []
  }
  if (list === undefined) return nodesAt(entry.value, rest, nearest, here)
  if (entry.value.is !== 'list') return []
  return entry.value.items.flatMap((item, index) =>
    nodesAt(item, rest, nearest, `${here}[${index}]`),
  )
}

function last(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}
