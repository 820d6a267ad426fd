import { isObject, type Json } from '../../kernel/values/json.ts'
import { decodePlainDocuments } from '../../serializer/serializer.ts'
import type { Source } from './read-documents.ts'

/** The objects of a source, without positions; undefined for a text that wants a parser. */
export function readPlainObjects({ text }: Source): readonly Json[] | undefined {
  return decodePlainDocuments(text)?.flatMap(objectsOf)
}

/** A document itself, or the items of a List. */
function objectsOf(value: Json): readonly Json[] {
  const isList = isObject(value) && value.kind === 'List' && Array.isArray(value.items)
  return isList ? (value.items as readonly Json[]).flatMap(objectsOf) : [value]
}

/** True for a value that states one of the two words that objects have. */
export function statesObjects(value: Json): boolean {
  return isObject(value) && ['apiVersion', 'kind'].some((word) => Object.hasOwn(value, word))
}
