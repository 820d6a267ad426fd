import { applyJsonPatch, parseJsonPatch, strategicMerge, unknownFields } from '../../apply/apply.ts'
import { needsSlices } from '../../kernel/async/slices.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { encodeJson, parseTrustedJson, type ReadResult } from '../../serializer/serializer.ts'
import type { RegistryContext } from '../contract/context.ts'
import type {
  Body,
  Item,
  PatchType,
  Target,
  WriteOptions,
  WriteResult,
} from '../contract/contract.ts'
import { invalid, notFound } from '../contract/errors.ts'
import { checkFields, type Draft, readTyped } from '../strategy/decode.ts'
import { guaranteedUpdate } from './guaranteed-update.ts'
import { applyMergePatch } from './merge-patch.ts'

/** Makes the wanted document of the current one. */
export type PatchFunction = (current: Json) => Json

/** Patches an object. A patch that names no version is repeated until no other write comes between. */
export async function patch(
  context: RegistryContext,
  target: Target,
  patcher: PatchFunction,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  const written = await guaranteedUpdate(context, target, options, (current) =>
    patchedDraft(target.kind, patcher, body, options, current),
  )
  if (written === undefined) throw notFound(target.kind, target.name ?? '')
  return written
}

/** Reads a patch of the given type, once for all attempts. Fails with BadRequest. */
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
 * What a strict reader says of the patch itself. A merge patch is a part of the object; the operations of a JSON patch have
 * fields of their own.
 */
export function patchWarnings(type: PatchType, { value, duplicates }: Body): readonly string[] {
  if (type !== 'json') return duplicates
  return [...unknownFields(value), ...duplicates].map((text) => `json patch ${text}`)
}

/** What a patch makes of an item of the kind, read and checked like any body. */
export function patchedDraft(
  kind: Kind,
  patcher: PatchFunction,
  { duplicates, large: long = false }: Body,
  { fieldValidation }: WriteOptions,
  current: Item,
): Draft {
  const value = patcher(parseTrustedJson(current.bytes))
  const { name = '' } = current.object().metadata
  const large = long || needsSlices(current.bytes.length)
  const draft = checkFields(kind, readPatched(kind, value, name), duplicates, fieldValidation)
  return { ...draft, large }
}

/** A patched document of the wrong form is the patch's fault. */
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
