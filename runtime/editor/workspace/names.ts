/** What the objects of a workspace are called, and what an open document says of them as it is typed. */
import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'
import { isObject } from '../../kernel/values/json.ts'
import {
  factsOf,
  nameOf,
  type ObjectFacts,
  type ObjectIndex,
  plainValue,
} from '../../validate/validate.ts'
import type { Catalogue } from '../schema/catalogue.ts'
import type { Lines } from '../text/lines.ts'
import { locatedOf } from '../text/located.ts'
import type { OutlineNode } from '../text/outline-nodes.ts'

/** What answers are made of beside the text. */
export interface EditorContext {
  readonly catalogue: Catalogue
  readonly objects: ObjectIndex
  /** The types of the platform that a kind is of. */
  types(apiVersion: string, kind: string): FieldTypes | undefined
}

/** The facts of an object as its outline has it. */
export function outlinedFacts(
  file: string,
  node: OutlineNode,
  lines: Lines,
  { catalogue, types }: Pick<EditorContext, 'catalogue' | 'types'>,
): ObjectFacts | undefined {
  const root = locatedOf(node, lines)
  const value = plainValue(root)
  const name = isObject(value) ? nameOf(value) : undefined
  if (!isObject(value) || name === undefined) return undefined
  const known = catalogue.kind(name.apiVersion, name.kind)
  const fields = types(name.apiVersion, name.kind)
  if (known === undefined || known.isConfiguration || fields === undefined) return undefined
  return factsOf({ file, root, value, name, isNamespaced: known.isNamespaced, types: fields })
}
