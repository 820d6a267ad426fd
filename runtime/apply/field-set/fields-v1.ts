/** FieldsV1 as clients send it: a set is its own encoding, so that reading means checking and ordering. */
import { isObject } from '../../kernel/values/json.ts'
import { type FieldSet, fieldSetOf, leaf, noFields } from './field-set.ts'
import { canonicalElement, selfElement } from './path-element.ts'

/**
 * Reads a value as a set of fields; undefined if it is none. A canonical value gives the very set that writes it again;
 * any other order or spelling comes out canonical.
 */
export function readFieldsV1(value: unknown): FieldSet | undefined {
  if (!isObject(value) || Object.hasOwn(value, selfElement)) return undefined
  return Object.keys(value).length === 0 ? noFields : readNode(value)
}

/** The node that a value encodes, with its elements in canonical form and order. */
function readNode(value: unknown): FieldSet | undefined {
  if (!isObject(value)) return undefined
  const parts: Record<string, FieldSet> = {}
  let member = false
  for (const [text, below] of Object.entries(value)) {
    const element = canonicalElement(text)
    if (element === undefined) return undefined
    const node = element === selfElement ? emptyNode(below) : readNode(below)
    if (node === undefined) return undefined
    if (element === selfElement) member = true
    else parts[element] = node
  }
  return fieldSetOf(parts, member)
}

/** The value of `.` must be an empty object. */
function emptyNode(value: unknown): FieldSet | undefined {
  return isObject(value) && Object.keys(value).length === 0 ? leaf : undefined
}
