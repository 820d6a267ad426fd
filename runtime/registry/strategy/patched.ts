/** Patches other than applies, and what they make of stored objects. */
import {
  goText,
  jsonPatchSteps,
  parseJsonPatch,
  strategicMergeSteps,
  unknownFields,
} from '../../apply/apply.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import { needsSlices, pauseIf, runInSlices } from '../../kernel/async/slices.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { ReadReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import {
  type Numeral,
  type ReadResult,
  readObject,
  typeMetaProblem,
  unmarshalProblem,
} from '../../serializer/serializer.ts'
import type { Body, FieldValidation, Item, PatchType, WriteOptions } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import { checkFields, type Draft, duplicatesFirst } from './decode.ts'
import { applyMergePatch, withoutNulls } from './merge-patch.ts'
import { asWritten, patchedNumerals } from './patched-numerals.ts'
import { patchedOrder } from './patched-order.ts'
import {
  otherKindProblem,
  statesKind,
  type TypedScheme,
  typeDoubt,
  typeProblemOf,
} from './type-refusal.ts'

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
  /** The patch as an error shows it, where that is not what it made of the object. */
  readonly shown?: () => string
  /** Numbers of the patch that are not written as they are printed, where they stand in the patched document. */
  readonly numeralsIn?: (value: Json) => readonly Numeral[]
  /** The patched document with its keys in the order in which the public libraries write it. */
  readonly ordered?: (value: Json) => Json
}

/** The patch of a body. What is wrong with it is told by `apply`: there has to be something to patch first. */
export function parsePatch(
  kind: Kind,
  type: PatchType,
  body: Body,
  { fieldValidation }: WriteOptions,
): Patch {
  const apply = patchFunction(kind, type, body.value, fieldValidation !== 'Ignore')
  const duplicates = patchWarnings(type, body)
  const shown = type === 'strategic' ? { shown: () => goText(body.value) } : {}
  const numeralsIn = patchedNumerals(type, body)
  const ordered = patchedOrder(type, body.value)
  return {
    kind,
    apply,
    duplicates,
    large: body.large ?? false,
    fieldValidation,
    ...shown,
    ...(numeralsIn && { numeralsIn }),
    ...(ordered && { ordered }),
  }
}

/** What a patch does. `checked` are those whose own fields are looked at: others are read by the library that applies them. */
function patchFunction(kind: Kind, type: PatchType, value: Json, checked: boolean): Patch['apply'] {
  if (type === 'json') {
    let operations: ReturnType<typeof parseJsonPatch> | undefined
    return (current) => {
      operations ??= parseJsonPatch(value, checked)
      return runInSlices(jsonPatchSteps(current, operations))
    }
  }
  if (type === 'strategic') {
    return (current) => {
      const patch = value === null ? {} : objectOf(value, '')
      return runInSlices(strategicMergeSteps(current as JsonObject, patch, kind.merge))
    }
  }
  return (current) => {
    if (value === null || !(checked || typeof value === 'object'))
      throw new StatusError('BadRequest', 'Invalid JSON Patch')
    if (!checked && Array.isArray(value))
      return withoutNulls(value.filter((item: Json) => item !== null))
    return applyMergePatch(current, objectOf(value, 'error decoding patch: '))
  }
}

/** A patch that is no object is refused in the words of the platform's decoder. */
function objectOf(value: Json, where: string): JsonObject {
  if (isObject(value)) return value
  throw new StatusError(
    'BadRequest',
    `${where}${unmarshalProblem(value, 'value of type map[string]interface {}')}`,
  )
}

/** A merge patch is a part of the object, with its fields; the operations of a JSON patch have fields of their own. */
function patchWarnings(type: PatchType, { value, duplicates }: Body): readonly string[] {
  if (type !== 'json') return duplicates
  return [...unknownFields(value), ...duplicates].map((text) => `json patch ${text}`)
}

/** The draft that a patch makes of an item, read and checked like any body. */
export function patchedDraft(scheme: TypedScheme, patch: Patch, current: Item): Awaitable<Draft> {
  const { kind, apply, duplicates, fieldValidation } = patch
  const large = patch.large || needsSlices(current.bytes.length)
  const stored = current.object() as unknown as Json
  const value = chainAwaitable(pauseIf(large), () => apply(stored))
  const paused = chainAwaitable(value, (patched) => chainAwaitable(pauseIf(large), () => patched))
  const read = chainAwaitable(paused, (patched) => readPatched(scheme, patched, patch))
  return chainAwaitable(read, (result) => {
    const draft = checkFields(kind, result, duplicatesFirst(duplicates), fieldValidation)
    return { ...draft, patched: true, large }
  })
}

/**
 * Reads a patched document.
 *
 * @throws StatusError Invalid at `patch` if a value has the wrong type: the patch is at fault. Of an apply as `applied` says it.
 */
export function readPatched(
  scheme: TypedScheme,
  value: Json,
  {
    kind,
    shown,
    numeralsIn,
    ordered,
    applied,
  }: Pick<Patch, 'kind' | 'shown' | 'numeralsIn' | 'ordered'> & {
    readonly applied?: (why: string) => StatusError
  },
): Awaitable<ReadResult> {
  const given = (): Json => ordered?.(value) ?? value
  const refused = (why: string): StatusError =>
    applied?.(why) ?? wrongPatch(shown?.() ?? asWritten(given(), numeralsIn?.(value) ?? []), why)
  const strategic = shown !== undefined
  const problem = namedTypeProblem(scheme, kind, value, strategic)
  if (problem !== undefined) return rejection(problem, refused)
  const readAs = (document: Json): ReadResult => {
    const read = readObject(kind, document, true, applied !== undefined)
    if (applied === undefined || read.report.malformedMetadata?.told !== '') return read
    const kept = withoutFields(document as JsonObject, read.report.typeErrors)
    return readObject(kind, kept, true, true)
  }
  const read = readAs(strategic ? asKind(kind, value) : value)
  const doubt = typeDoubt(read, { numerals: numeralsIn?.(value) ?? [] })
  if (doubt === undefined) {
    const isOrdered = ordered === undefined || read.report.unknownFields.length < 2
    return isOrdered ? read : readAs(given())
  }
  const way = strategic || applied !== undefined ? 'converted' : 'decoded'
  return typeProblemOf(scheme, kind, given(), { ...doubt, way }).then((why) => {
    if (why === undefined) return read
    throw refused(why)
  })
}

/** A custom object without the fields of its own metadata that cannot be read: an apply that may be merged drops them. */
function withoutFields(document: JsonObject, errors: ReadReport['typeErrors']): JsonObject {
  const wrong = new Set(errors.map(({ path }) => /^metadata\.(\w+)/.exec(path)?.[1]))
  const metadata = Object.entries(document.metadata as JsonObject)
  return {
    ...document,
    metadata: Object.fromEntries(metadata.filter(([name]) => !wrong.has(name))),
  }
}

/** What is wrong with the type that a patched document names; that of a custom kind is told by its reader. */
function namedTypeProblem(
  scheme: TypedScheme,
  kind: Kind,
  value: Json,
  strategic: boolean,
): Awaitable<string> | undefined {
  if (kind.customResource !== undefined) return undefined
  if (!isObject(value)) return strategic ? undefined : typeMetaProblem(value)
  if (strategic) return restoredTypeProblem(value)
  return (
    typeMetaProblem(value) ??
    (statesKind(kind, value) ? undefined : otherKindProblem(scheme, kind, value))
  )
}

/** A strategic merge does not look at the type that its patch names, if that is a text. */
function asKind(kind: Kind, value: Json): Json {
  return isObject(value) ? { ...value, kind: kind.kind, apiVersion: apiVersionOf(kind) } : value
}

function restoredTypeProblem({ kind, apiVersion }: JsonObject): string | undefined {
  const named = [kind, apiVersion].find((one) => typeof (one ?? '') !== 'string')
  if (named === undefined) return undefined
  const whole = typeof named === 'bigint' || Number.isSafeInteger(named)
  return whole ? 'cannot convert int64 to string' : 'unrecognized type: string'
}

async function rejection(
  problem: Awaitable<string>,
  refused: (why: string) => StatusError,
): Promise<never> {
  throw refused(await problem)
}

function wrongPatch(shown: string, why: string): StatusError {
  const message = `Invalid value: ${quoted(shown.slice(0, shownLength))}: ${why}`
  return invalid({ group: '', kind: '' }, '', [
    { path: 'patch', reason: 'FieldValueInvalid', message },
  ])
}

/** How many characters of a patched document a message shows. */
const shownLength = 64 * 1024
