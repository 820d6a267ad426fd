import { applyJsonPatch, parseJsonPatch, strategicMerge, unknownParts } from '../apply/apply.ts'
import { encode, parse, type ReadResult } from '../codec/codec.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Kind } from '../kernel/kind.ts'
import { isStatus, StatusError } from '../kernel/status.ts'
import { isLarge } from '../kernel/turns.ts'
import { change } from './change.ts'
import type { Context } from './context.ts'
import { checkFields, type Draft, readTyped } from './decode.ts'
import { invalid, notFound } from './errors.ts'
import { applyMergePatch } from './merge-patch.ts'
import type { Body, Item, PatchType, Target, WriteOptions, Written } from './registry.ts'

/** Makes the wanted document of the current one. */
export type Patcher = (current: Json) => Json

/** Patches an object. A patch that names no version is repeated until no other write comes between. */
export async function patch(
  context: Context,
  target: Target,
  patcher: Patcher,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const written = await change(context, target, options, (current) =>
    patchedDraft(target.kind, patcher, body, options, current),
  )
  if (written === undefined) throw notFound(target.kind, target.name ?? '')
  return written
}

/** Reads a patch of the given type, once for all attempts. Fails with BadRequest. */
export function patcherOf(kind: Kind, type: PatchType, value: Json): Patcher {
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
export function patchTexts(type: PatchType, { value, duplicates }: Body): readonly string[] {
  if (type !== 'json') return duplicates
  return [...unknownParts(value), ...duplicates].map((text) => `json patch ${text}`)
}

/** What a patch makes of an item of the kind, read and checked like any body. */
export function patchedDraft(
  kind: Kind,
  patcher: Patcher,
  { duplicates, large: long = false }: Body,
  { fieldValidation }: WriteOptions,
  current: Item,
): Draft {
  const value = patcher(parse(current.bytes))
  const { name = '' } = current.object().metadata
  const large = long || isLarge(current.bytes.length)
  const draft = checkFields(kind, readPatched(kind, value, name), duplicates, fieldValidation)
  return { ...draft, large }
}

/** A patched document of the wrong form is the patch's fault. */
export function readPatched(kind: Kind, value: Json, name: string): ReadResult {
  try {
    return readTyped(kind, value)
  } catch (error) {
    if (!isStatus(error, 'BadRequest')) throw error
    const shown = Buffer.from(encode(value)).toString().slice(0, 1000)
    const message = `Invalid value: ${JSON.stringify(shown)}: ${error.message}`
    throw invalid(kind, name, [{ path: 'patch', reason: 'FieldValueInvalid', message }])
  }
}
