import { strategicMerge } from '../apply/apply.ts'
import { encode, parse, type ReadResult } from '../codec/codec.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Kind } from '../kernel/kind.ts'
import { isStatus, StatusError } from '../kernel/status.ts'
import { change } from './change.ts'
import type { Context } from './context.ts'
import { checkFields, type Draft, readTyped } from './decode.ts'
import { invalid, notFound } from './errors.ts'
import { applyJsonPatch, parseJsonPatch } from './json-patch.ts'
import { applyMergePatch } from './merge-patch.ts'
import type { Body, PatchType, Target, WriteOptions, Written } from './registry.ts'

/** Patches an object. A patch that names no version is repeated until no other write comes between. */
export async function patch(
  context: Context,
  target: Target,
  type: PatchType,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const apply = patcher(target.kind, type, body.value)
  const written = await change(context, target, options, (current) =>
    patched(target, body, options, apply(parse(current.bytes))),
  )
  if (written === undefined) throw notFound(target.kind, target.name ?? '')
  return written
}

function patcher(kind: Kind, type: PatchType, value: Json): (current: Json) => Json {
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

function patched(
  target: Target,
  { duplicates }: Body,
  { fieldValidation }: WriteOptions,
  value: Json,
): Draft {
  const { kind } = target
  return checkFields(kind, readPatched(kind, value, target.name ?? ''), duplicates, fieldValidation)
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
