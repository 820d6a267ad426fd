/** FieldsV1 as it comes from outside: a set is its own encoding, so reading means checking and ordering. */
import { isObject } from '../kernel/json.ts'
import { canonicalElement, itself } from './elements.ts'
import { type FieldSet, leaf, nodeOf, noFields } from './field-set.ts'

/**
 * Reads a value as a set of fields; undefined if it is none. A canonical text is read as exactly the set that writes it
 * again; any other order or spelling comes out canonical.
 */
export function readFieldsV1(value: unknown): FieldSet | undefined {
  if (!isObject(value) || Object.hasOwn(value, itself)) return undefined
  return Object.keys(value).length === 0 ? noFields : readNode(value)
}

function readNode(value: unknown): FieldSet | undefined {
  if (!isObject(value)) return undefined
  const parts: Record<string, FieldSet> = {}
  let member = false
  for (const [text, below] of Object.entries(value)) {
    const element = canonicalElement(text)
    if (element === undefined) return undefined
    const node = element === itself ? emptyNode(below) : readNode(below)
    if (node === undefined) return undefined
    if (element === itself) member = true
    else parts[element] = node
  }
  return nodeOf(parts, member)
}

function emptyNode(value: unknown): FieldSet | undefined {
  return isObject(value) && Object.keys(value).length === 0 ? leaf : undefined
}
