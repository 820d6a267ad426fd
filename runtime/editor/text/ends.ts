import type { OutlineNode } from './outline-nodes.ts'

/** Where a value ends, with everything in it. */
export function endOf(node: OutlineNode): number {
  if (node.is === 'scalar' || node.flow) return node.end
  const last = node.is === 'map' ? node.entries.at(-1) : node.items.at(-1)
  if (last === undefined) return node.end
  return Math.max(last.end, last.value === undefined ? 0 : endOf(last.value))
}
