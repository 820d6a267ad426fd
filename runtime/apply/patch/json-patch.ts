/** JSON Patch (RFC 6902), as the library of the public platform reads it: only a type that is wrong is refused ahead. */
import { StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'

/** The most operations of one patch. */
const maxOperations = 10_000

/** One operation as it was sent; what is absent or null in it is absent here, but for a value that is null. */
export interface JsonPatchOperation {
  readonly op: string | undefined
  readonly path: string | undefined
  readonly from: string | undefined
  readonly value: Json | undefined
}

/**
 * Reads a patch. Throws `BadRequest`, or `RequestEntityTooLarge` for too many operations. An operation that means nothing
 * is found when it is applied; so is one that is not `checked`, whatever its parts are.
 */
export function parseJsonPatch(patch: Json, checked = true): readonly JsonPatchOperation[] {
  if (patch === null) return []
  const refuse = (value: Json, [own, library]: readonly [string, string]): StatusError =>
    checked
      ? malformed(value, 'error decoding patch: ', own)
      : malformed(value, '', `Go value of type jsonpatch.${library}`)
  if (!Array.isArray(patch))
    throw refuse(patch, ['Go value of type []handlers.jsonPatchOp', 'Patch'])
  const operations = patch.map((operation: Json) => {
    if (operation === null || isObject(operation)) return parseOperation(operation, checked)
    throw refuse(operation, ['Go value of type handlers.jsonPatchOp', 'Operation'])
  })
  if (operations.length <= maxOperations) return operations
  throw new StatusError(
    'RequestEntityTooLarge',
    `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, ` +
      `got ${operations.length}`,
  )
}

const parts = ['op', 'path', 'from', 'value']
/** How many unknown parts are named. */
const maxUnknown = 100

/** One text for each field of an operation that means nothing: `unknown field "[0].foo"`. */
export function unknownFields(patch: Json): readonly string[] {
  if (!Array.isArray(patch)) return []
  const texts: string[] = []
  for (const [index, operation] of patch.entries()) {
    if (texts.length >= maxUnknown) break
    if (!isObject(operation)) continue
    const unknown = Object.keys(operation).filter((part) => !parts.includes(part))
    texts.push(...unknown.map((part) => `unknown field ${JSON.stringify(`[${index}].${part}`)}`))
  }
  return texts.slice(0, maxUnknown)
}

function parseOperation(given: JsonObject | null, checked: boolean): JsonPatchOperation {
  const text = (part: 'op' | 'path' | 'from'): string | undefined => {
    const value = given === null || !Object.hasOwn(given, part) ? undefined : given[part]
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string') return value
    if (!checked) return undefined
    throw malformed(
      value,
      'error decoding patch: ',
      `Go struct field jsonPatchOp.${part} of type string`,
    )
  }
  const value = given !== null && Object.hasOwn(given, 'value') ? given.value : undefined
  return { op: text('op'), path: text('path'), from: text('from'), value }
}

function malformed(value: Json, where: string, place: string): StatusError {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  const found = type === 'bigint' ? 'number' : type
  return new StatusError('BadRequest', `${where}json: cannot unmarshal ${found} into ${place}`)
}
