/**
 * A sorted set of entries that never changes: every change gives a new tree that shares all but one path with the old one.
 *
 * So a snapshot is a reference, and a list or a page goes on reading the tree it began with.
 */
import { invariant } from '../kernel/errors/invariant.ts'
import { compareKeys, type Entry, prefixEnd } from '../store/store.ts'

/** Most entries of a leaf, and most children of a branch. */
const fanout = 64

/** Entries in key order. */
interface Leaf {
  readonly entries: readonly Entry[]
}

/** Children in key order, all of the same depth. */
interface Branch {
  readonly children: readonly BTree[]
  /** The first key of each child. */
  readonly firsts: readonly string[]
  /** How many entries are in the leaves below. */
  readonly size: number
}

/** A node of the tree, and so a tree. */
export type BTree = Leaf | Branch

/** The tree without entries. */
export const emptyBTree: BTree = { entries: [] }

/** Builds a tree of entries that are in key order. */
export function createBTree(entries: readonly Entry[]): BTree {
  let level: readonly BTree[] = chunks(entries).map((chunk) => ({ entries: chunk }))
  while (level.length > 1) level = chunks(level).map(branch)
  return level[0] ?? emptyBTree
}

/** How many entries there are. */
export function sizeOf(tree: BTree): number {
  return isLeaf(tree) ? tree.entries.length : tree.size
}

/** The entry of a key. */
export function find(tree: BTree, key: string): Entry | undefined {
  let node = tree
  while (!isLeaf(node)) node = childAt(node, indexOf(node.firsts, key))
  const entry = node.entries[lowerBound(node.entries, key)]
  return entry?.key === key ? entry : undefined
}

/** The tree with this entry in the place of any other under its key. */
export function put(tree: BTree, entry: Entry): BTree {
  const parts = putInto(tree, entry)
  return parts.length === 1 ? only(parts) : branch(parts)
}

/** The tree without this key. */
export function remove(tree: BTree, key: string): BTree {
  let node = removeFrom(tree, key)
  while (!isLeaf(node) && node.children.length === 1) node = only(node.children)
  return isLeaf(node) || node.children.length > 0 ? node : emptyBTree
}

/** How many keys are less than this one. */
export function rank(tree: BTree, key: string): number {
  let before = 0
  let node = tree
  while (!isLeaf(node)) {
    const index = indexOf(node.firsts, key)
    for (let i = 0; i < index; i++) before += sizeOf(childAt(node, i))
    node = childAt(node, index)
  }
  return before + lowerBound(node.entries, key)
}

/** How many keys begin with the prefix and are greater than `after`. */
export function count(tree: BTree, prefix: string, after?: string): number {
  const end = prefixEnd(prefix)
  const last = end === undefined ? sizeOf(tree) : rank(tree, end)
  const passed = after !== undefined && compareKeys(after, prefix) >= 0
  const first = passed ? rank(tree, after) + (find(tree, after) ? 1 : 0) : rank(tree, prefix)
  return Math.max(0, last - first)
}

/** The entries whose keys begin with the prefix and are greater than `after`, in order, at most `limit`. */
export function slice(tree: BTree, prefix: string, after?: string, limit?: number): Entry[] {
  return runs(tree, prefix, after, limit).flat()
}

/** The same, as runs: those of whole leaves are the leaves' own arrays. */
export function runs(
  tree: BTree,
  prefix: string,
  after?: string,
  limit = Number.POSITIVE_INFINITY,
): readonly (readonly Entry[])[] {
  const found: (readonly Entry[])[] = []
  let left = limit
  const passed = after !== undefined && compareKeys(after, prefix) >= 0
  visitLeaves(tree, passed ? after : prefix, (entries, first) => {
    const from = passed && entries[first]?.key === after ? first + 1 : first
    const end = Math.min(endOf(entries, from, prefix), from + left)
    left -= end - from
    if (end - from === entries.length) found.push(entries)
    else if (end > from) found.push(entries.slice(from, end))
    return end === entries.length && left > 0
  })
  return found
}

/** Where the keys that begin with the prefix end, looking from `from` on. */
function endOf(entries: readonly Entry[], from: number, prefix: string): number {
  if (entries.at(-1)?.key.startsWith(prefix)) return entries.length
  let end = from
  while (entries[end]?.key.startsWith(prefix)) end++
  return end
}

/** Visits leaves and where in them the keys from `from` on begin, until `visit` says no. */
function visitLeaves(
  tree: BTree,
  from: string,
  visit: (entries: readonly Entry[], first: number) => boolean,
): boolean {
  if (isLeaf(tree)) return visit(tree.entries, lowerBound(tree.entries, from))
  for (let i = indexOf(tree.firsts, from); i < tree.children.length; i++) {
    if (!visitLeaves(childAt(tree, i), from, visit)) return false
  }
  return true
}

/** The node with an entry put into it: two nodes if it has become too large for one. */
function putInto(tree: BTree, entry: Entry): readonly BTree[] {
  if (isLeaf(tree)) {
    const at = lowerBound(tree.entries, entry.key)
    const replaces = tree.entries[at]?.key === entry.key
    const entries = tree.entries.slice()
    entries.splice(at, replaces ? 1 : 0, entry)
    return split(entries).map((part) => ({ entries: part }))
  }
  const index = indexOf(tree.firsts, entry.key)
  const before = childAt(tree, index)
  const parts = putInto(before, entry)
  const children = tree.children.slice()
  children.splice(index, 1, ...parts)
  const [part] = parts
  // Most changes leave the keys of a branch as they are: they stay shared, with the texts that they were first read as.
  if (parts.length === 1 && part !== undefined && firstKey(part) === tree.firsts[index]) {
    return [{ children, firsts: tree.firsts, size: tree.size - sizeOf(before) + sizeOf(part) }]
  }
  return split(children).map(branch)
}

/** The node without a key. It may have become empty. */
function removeFrom(tree: BTree, key: string): BTree {
  if (isLeaf(tree)) {
    const at = lowerBound(tree.entries, key)
    if (tree.entries[at]?.key !== key) return tree
    const entries = tree.entries.slice()
    entries.splice(at, 1)
    return { entries }
  }
  const index = indexOf(tree.firsts, key)
  const child = removeFrom(childAt(tree, index), key)
  const children = tree.children.slice()
  if (widthOf(child) === 0) children.splice(index, 1)
  else children.splice(index, 1, child)
  return branch(joinSmall(children, index))
}

/** Joins the child at `index` with its right neighbour if both fit well into one. */
function joinSmall(children: BTree[], index: number): BTree[] {
  const [left, right] = [children[index], children[index + 1]]
  if (left === undefined || right === undefined) return children
  if (widthOf(left) + widthOf(right) > fanout / 2) return children
  if (isLeaf(left) && isLeaf(right)) {
    children.splice(index, 2, { entries: [...left.entries, ...right.entries] })
  } else if (!isLeaf(left) && !isLeaf(right)) {
    children.splice(index, 2, branch([...left.children, ...right.children]))
  }
  return children
}

function isLeaf(tree: BTree): tree is Leaf {
  return 'entries' in tree
}

/** A branch over some nodes. */
function branch(children: readonly BTree[]): Branch {
  const firsts = children.map(firstKey)
  return { children, firsts, size: children.reduce((sum, child) => sum + sizeOf(child), 0) }
}

function firstKey(tree: BTree): string {
  return (isLeaf(tree) ? tree.entries[0]?.key : tree.firsts[0]) ?? ''
}

/** How full a node is: its entries or its children. */
function widthOf(tree: BTree): number {
  return isLeaf(tree) ? tree.entries.length : tree.children.length
}

function childAt(tree: Branch, index: number): BTree {
  const child = tree.children[index]
  invariant(child !== undefined, 'a branch has a child for every key')
  return child
}

function only(trees: readonly BTree[]): BTree {
  const [tree] = trees
  invariant(tree !== undefined, 'there is one')
  return tree
}

/** The last child that may hold the key. */
function indexOf(firsts: readonly string[], key: string): number {
  let low = 0
  let high = firsts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (compareKeys(firsts[middle] as string, key) <= 0) low = middle
    else high = middle
  }
  return low
}

/** The index of the first entry whose key is not less than this one. */
function lowerBound(entries: readonly Entry[], key: string): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareKeys((entries[middle] as Entry).key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** One part, or two halves of what is too large for one node. */
function split<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= fanout) return [items]
  const half = items.length >> 1
  return [items.slice(0, half), items.slice(half)]
}

/** Three quarters full, so that the first changes after a load do not split every leaf. */
function chunks<T>(items: readonly T[]): T[][] {
  const width = fanout * 0.75
  const parts: T[][] = []
  for (let at = 0; at < items.length; at += width) parts.push(items.slice(at, at + width))
  return parts
}
