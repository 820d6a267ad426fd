/** Patches as functions of documents, and what they make of stored objects. */
import { applyJsonPatch, parseJsonPatch, strategicMerge, unknownFields } from '../../apply/apply.ts'
import { needsSlices } from '../../kernel/async/slices.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { encodeJson, parseTrustedJson, type ReadResult } from '../../serializer/serializer.ts'
import type { Body, Item, PatchType, WriteOptions } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import { checkFields, type Draft, readTyped } from './decode.ts'
import { applyMergePatch } from './merge-patch.ts'

/** Makes the patched document of the current one. @throws StatusError if the patch does not apply. */
export type PatchFunction = (current: Json) => Json

/** Reads a patch of the given type, once for all attempts. @throws StatusError BadRequest. */
export function parsePatch(kind: Kind, type: PatchType, value: Json): PatchFunction {
  if (type === 'json') {
    const operations = parseJsonPatch(value)
    return (current) => applyJsonPatch(current, operations)
  }
  if (!isObject(value)) {
    throw new StatusError('BadRequest', 'error decoding patch: a merge patch is an object')
  }
  if (type === 'strategic') {
    return (current) => strategicMerge(current as JsonObject, value, kind.merge)
  }
  return (current) => applyMergePatch(current, value)
}

/**
 * What strict field validation reports about the patch itself. A merge patch is a part of the object; the operations of a JSON patch have
 * fields of their own.
 */
export function patchWarnings(type: PatchType, { value, duplicates }: Body): readonly string[] {
  if (type !== 'json') return duplicates
  return [...unknownFields(value), ...duplicates].map((text) => `json patch ${text}`)
}

/** The draft that a patch makes of an item of the kind, read and checked like any body. */
export function patchedDraft(
  kind: Kind,
  patcher: PatchFunction,
  { duplicates, large: long = false }: Body,
  { fieldValidation }: WriteOptions,
  current: Item,
): Draft {
  const value = patcher(parseTrustedJson(current.bytes))
  const { name } = current.object().metadata
  const large = long || needsSlices(current.bytes.length)
  const draft = checkFields(kind, readPatched(kind, value, name), duplicates, fieldValidation)
  return { ...draft, large }
}

/** Reads a patched document. @throws StatusError Invalid at `patch` if a value has the wrong type: the patch is at fault. */
export function readPatched(kind: Kind, value: Json, name: string): ReadResult {
  try {
    return readTyped(kind, value)
  } catch (error) {
    if (!isStatus(error, 'BadRequest')) throw error
    const shown = Buffer.from(encodeJson(value)).toString().slice(0, 1000)
    const message = `Invalid value: ${JSON.stringify(shown)}: ${error.message}`
    throw invalid(kind, name, [{ path: 'patch', reason: 'FieldValueInvalid', message }])
  }
}
