/** An outline without what is beside a path: lists off the path are empty, and one on it has the item of the path alone. */
import type { Step } from './cursor.ts'
import type { OutlineNode } from './outline-nodes.ts'

/** The part of a value that decides what a place in it refers to, which is small however long the text is. */
export function prunedTo(node: OutlineNode, path: readonly Step[]): OutlineNode {
  const [step, ...rest] = path
  if (node.is === 'scalar') return node
  if (node.is === 'list') {
    const item = typeof step === 'number' ? node.items[step] : undefined
    if (item === undefined) return { ...node, items: [] }
    const { value } = item
    return {
      ...node,
      items: [value === undefined ? item : { ...item, value: prunedTo(value, rest) }],
    }
  }
  const entries = node.entries.map((entry) => {
    const { key, value } = entry
    if (value === undefined || value.is === 'scalar') return entry
    return { ...entry, value: prunedTo(value, key === step ? rest : []) }
  })
  return { ...node, entries }
}
