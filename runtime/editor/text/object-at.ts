/** The object of a document that a path is in: the document itself, or an item of a List. */
import { nodeAt, type Step, textAt } from './cursor.ts'
import type { OutlineDocument, OutlineNode } from './outline-nodes.ts'

/** An object, and the path within it. */
export interface ObjectAt {
  readonly apiVersion: string | undefined
  readonly kind: string | undefined
  readonly node: OutlineNode | undefined
  /** The path of the object in its document. */
  readonly base: readonly Step[]
  readonly path: readonly Step[]
}

/** Finds it. */
export function objectAt(document: OutlineDocument, path: readonly Step[]): ObjectAt {
  let base: readonly Step[] = []
  while (
    textAt(document, ...base, 'kind') === 'List' &&
    path[base.length] === 'items' &&
    typeof path[base.length + 1] === 'number'
  ) {
    base = path.slice(0, base.length + 2)
  }
  return {
    apiVersion: textAt(document, ...base, 'apiVersion'),
    kind: textAt(document, ...base, 'kind'),
    node: nodeAt(document, base),
    base,
    path: path.slice(base.length),
  }
}
