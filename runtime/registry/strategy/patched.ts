/** Patches other than applies, and what they make of stored objects. */
import {
  jsonPatchSteps,
  parseJsonPatch,
  strategicMergeSteps,
  unknownFields,
} from '../../apply/apply.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import { needsSlices, runInSlices } from '../../kernel/async/slices.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { encodeJson, parseTrustedJson, type ReadResult } from '../../serializer/serializer.ts'
import type { Body, FieldValidation, Item, PatchType, WriteOptions } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import { checkFields, type Draft, readTyped } from './decode.ts'
import { applyMergePatch } from './merge-patch.ts'

/** A patch that is read, once for all attempts to apply it. */
export interface Patch {
  /** The kind of what is patched: for a scale its own. */
  readonly kind: Kind
  /** Makes the patched document of the current one. @throws StatusError if the patch does not apply. */
  readonly apply: (current: Json) => Awaitable<Json>
  /** What strict field validation reports about the patch itself. */
  readonly duplicates: readonly string[]
  readonly large: boolean
  readonly fieldValidation: FieldValidation
}

/** Reads a patch of the given type. @throws StatusError BadRequest. */
export function parsePatch(
  kind: Kind,
  type: PatchType,
  body: Body,
  { fieldValidation }: WriteOptions,
): Patch {
  const apply = patchFunction(kind, type, body.value)
  const duplicates = patchWarnings(type, body)
  return { kind, apply, duplicates, large: body.large ?? false, fieldValidation }
}

function patchFunction(kind: Kind, type: PatchType, value: Json): Patch['apply'] {
  if (type === 'json') {
    const operations = parseJsonPatch(value)
    return (current) => runInSlices(jsonPatchSteps(current, operations))
  }
  if (!isObject(value)) {
    throw new StatusError('BadRequest', 'error decoding patch: a merge patch is an object')
  }
  if (type === 'strategic') {
    return (current) => runInSlices(strategicMergeSteps(current as JsonObject, value, kind.merge))
  }
  return (current) => applyMergePatch(current, value)
}

/** A merge patch is a part of the object, with its fields; the operations of a JSON patch have fields of their own. */
function patchWarnings(type: PatchType, { value, duplicates }: Body): readonly string[] {
  if (type !== 'json') return duplicates
  return [...unknownFields(value), ...duplicates].map((text) => `json patch ${text}`)
}

/** The draft that a patch makes of an item, read and checked like any body. */
export function patchedDraft(
  { kind, apply, duplicates, large, fieldValidation }: Patch,
  current: Item,
): Awaitable<Draft> {
  return chainAwaitable(apply(parseTrustedJson(current.bytes)), (value) => {
    const read = readPatched(kind, value, current.object().metadata.name)
    const draft = checkFields(kind, read, duplicates, fieldValidation)
    return { ...draft, large: large || needsSlices(current.bytes.length) }
  })
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
