/**
 * Sets of field paths and their algebra. A set is held in the form in which it is written (FieldsV1): a tree of path
 * elements in canonical order. A node without parts is in the set; a node with parts is in the set if it has the part
 * `.`; the root stands for no field.
 *
 * An operation that leaves a set as it was returns that very set, so that identity means unchanged.
 */
import {
  areOrderedAsTexts,
  compareElements,
  printElement,
  selfElement,
  sortElements,
} from './path-element.ts'

/** A set, or a node of one: the parts by their path elements. Readonly; share it freely. */
export interface FieldSet {
  readonly [element: string]: FieldSet
}

/** A node that is being built. */
type MutableFieldSet = Record<string, FieldSet>

/** A field that is in the set, with nothing below it. As a root: the empty set. */
export const leaf: FieldSet = Object.freeze({})
/** The empty set. */
export const noFields = leaf

/** True for the empty set, and for a node without parts. */
export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false
  return true
}

/** True if the node itself is in the set. */
export function isMember(node: FieldSet): boolean {
  return node[selfElement] !== undefined || isEmpty(node)
}

/** A node made of parts in any order, each element once; `member`: the node itself is in the set. */
export function fieldSetOf(parts: MutableFieldSet, member: boolean): FieldSet {
  const names = Object.keys(parts)
  if (names.length === 0) return leaf
  const ordered = inOrder(names)
  if (ordered && !member) return parts
  const node: MutableFieldSet = member ? { [selfElement]: leaf } : {}
  for (const name of ordered ? names : sortElements(names)) node[name] = parts[name]!
  return node
}

/** `fieldSetOf` parts of a node that is itself in the set, which have `.` as their first: they are kept if they are in order. */
export function memberSetOf(parts: MutableFieldSet): FieldSet {
  const [, ...names] = Object.keys(parts)
  if (names.length === 0) return leaf
  if (inOrder(names)) return parts
  const node: MutableFieldSet = { [selfElement]: leaf }
  for (const name of sortElements(names)) node[name] = parts[name]!
  return node
}

/** Whether the elements are in canonical order. */
function inOrder(names: readonly string[]): boolean {
  const asTexts = names.length > 8 && areOrderedAsTexts(names)
  for (let index = 1; index < names.length; index++) {
    const [before, name] = [names[index - 1]!, names[index]!]
    if (asTexts ? before > name : compareElements(before, name) > 0) return false
  }
  return true
}

/** The fields that are in `a` or in `b`. Commutative, associative and idempotent. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b
  return isEmpty(b) ? a : unionNodes(a, b, false)
}

/** The fields that are in any of the sets, in time that grows with all of them together. */
export function unionAll(sets: readonly FieldSet[]): FieldSet {
  if (sets.length <= 2) return union(sets[0] ?? noFields, sets[1] ?? noFields)
  const half = sets.length >> 1
  return union(unionAll(sets.slice(0, half)), unionAll(sets.slice(half)))
}

/** The union of two nodes with parts; `member`: the result is in the set itself. */
function unionNodes(a: FieldSet, b: FieldSet, member: boolean): FieldSet {
  if (a === b) return a
  const parts: MutableFieldSet = {}
  let grown = false
  for (const name in a) {
    if (name === selfElement) continue
    const other = b[name]
    const part = other === undefined ? a[name]! : unionMembers(a[name]!, other)
    if (part !== a[name]) grown = true
    parts[name] = part
  }
  for (const name in b) {
    if (name === selfElement || a[name] !== undefined) continue
    parts[name] = b[name]!
    grown = true
  }
  return grown ? fieldSetOf(parts, member) : member === hasSelf(a) ? a : fieldSetOf(parts, member)
}

/** The union of two nodes that both sets have. */
function unionMembers(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || (isEmpty(a) && isEmpty(b))) return a
  return unionNodes(a, b, isMember(a) || isMember(b))
}

/** True for a node with parts that is in the set itself. */
function hasSelf(node: FieldSet): boolean {
  return node[selfElement] !== undefined
}

/**
 * The fields of `a` that are not in `b`. A field of `a` below a field of `b` stays: being managed as a whole and by
 * parts are different claims.
 */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(b) ? a : (filterNode(a, b, false, minus) ?? noFields)
}

/** The part of `difference` below the root. */
function minus(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return filterNode(a, b, isMember(a) && !isMember(b), minus)
}

/** The fields of `a` that are neither in `b` nor below a field of `b`. */
export function without(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(b) ? a : (filterNode(a, b, false, outside) ?? noFields)
}

/** The part of `without` below the root. */
function outside(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return isMember(b) ? undefined : filterNode(a, b, isMember(a), outside)
}

/** The fields of `a` that are in `b` or below a field of `b`. */
export function within(a: FieldSet, b: FieldSet): FieldSet {
  return filterNode(a, b, false, inside, true) ?? noFields
}

/** The part of `within` below the root. */
function inside(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return isMember(b) ? a : filterNode(a, b, false, inside, true)
}

/** The fields that are in both. Commutative, associative and idempotent. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return filterNode(a, b, false, common, true) ?? noFields
}

/** The part of `intersection` below the root. */
function common(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return filterNode(a, b, isMember(a) && isMember(b), common, true)
}

/** What remains of a node of `a` that `b` has too; undefined if nothing does. */
type Lessen = (a: FieldSet, b: FieldSet) => FieldSet | undefined

/** `a` with each part that `b` has too lessened; the others are kept, or dropped where `only` shared ones count. */
function filterNode(
  a: FieldSet,
  b: FieldSet,
  member: boolean,
  lessen: Lessen,
  only = false,
): FieldSet | undefined {
  const parts: MutableFieldSet = member ? { [selfElement]: leaf } : {}
  let kept = 0
  let same = member === isMember(a) || member === hasSelf(a)
  for (const name in a) {
    if (name === selfElement) continue
    const [old, other] = [a[name]!, b[name]]
    const part = other === undefined ? (only ? undefined : old) : lessen(old, other)
    if (part !== old) same = false
    if (part === undefined) continue
    parts[name] = part
    kept++
  }
  if (same && (kept > 0 || member)) return a
  if (kept > 0) return parts
  return member ? leaf : undefined
}

/** True if both sets hold the same fields. */
export function sameFields(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  let count = 0
  for (const name in a) {
    const other = b[name]
    if (other === undefined || !sameFields(a[name]!, other)) return false
    count++
  }
  for (const _ in b) count--
  return count === 0
}

/** The set of these paths, each a list of path elements. */
export function setOf(paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce<FieldSet>(
    (set, path) =>
      union(
        set,
        path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), leaf),
      ),
    noFields,
  )
}

/** The set of dotted paths of properties: `metadata.labels`. */
export function setOfFields(paths: readonly string[]): FieldSet {
  return setOf(paths.map((path) => path.split('.').map((name) => `f:${name}`)))
}

/** Every field of a set as messages name it, those of one level first: `.spec.containers[name="web"].image`. */
export function printFields(set: FieldSet): readonly string[] {
  const texts: string[] = []
  addFields(set, '', texts)
  return texts
}

function addFields(set: FieldSet, prefix: string, texts: string[]): void {
  const parts = Object.entries(set).filter(([element]) => element !== selfElement)
  const paths = parts.map(([element]) => `${prefix}${printElement(element)}`)
  for (const [at, [, node]] of parts.entries()) if (isMember(node)) texts.push(paths[at]!)
  for (const [at, [, node]] of parts.entries()) addFields(node, paths[at]!, texts)
}
