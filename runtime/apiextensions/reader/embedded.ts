import { newMetadataErrors } from '../../kernel/meta/metadata-errors.ts'
import { dns1035LabelProblems } from '../../kernel/meta/names.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import { createReport, type ReadReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { Check } from './check.ts'
import { formatValueWithTypes, sortKeysDeep } from './json-values.ts'
import type { ReadContext } from './read-context.ts'

/** Reads the metadata of an object. Reported paths begin with `metadata`. */
export type ReadMetadata = (value: unknown, report: ReadReport) => Metadata

/**
 * Reads the metadata of an embedded resource like an object's own, but adds no `creationTimestamp`.
 * Paths of the reader begin with `metadata`; here the current path already ends with it. Of
 * metadata that cannot be read, that alone is told.
 */
export function embeddedMetadata(value: Json, context: ReadContext, read: ReadMetadata): Json {
  const report = createReport()
  const metadata = read(value, report)
  const [wrong] = report.typeErrors
  if (wrong !== undefined) {
    context.refuseType(value, wrong.message, true)
    return sortKeysDeep(value)
  }
  const inner = (path: string): string => path.replace(/^metadata\.?/, '')
  for (const path of report.unknownFields.sort()) context.addUnknownField(inner(path))
  for (const { path, message, reason } of report.errors) {
    // Who manages what is judged with the rest of the metadata, in other words.
    if (path.startsWith('metadata.managedFields')) continue
    context.addError(reason, message, inner(path) || undefined)
  }
  const { creationTimestamp, ...rest } = metadata
  const kept = creationTimestamp ? { creationTimestamp, ...rest } : rest
  return sortKeysDeep(kept as unknown as Json)
}

/**
 * The check of embedded resources: they have an `apiVersion`, a `kind` and valid metadata
 * (supplement C-06). All three are told at once. The kind is not looked up: an embedded resource
 * may be of a kind that this server does not have.
 */
export const embeddedCheck: Check = (value, context) => {
  if (!isObject(value)) return
  const { apiVersion, kind, metadata } = value
  for (const name of ['apiVersion', 'kind'] as const) {
    if (value[name] !== undefined) continue
    context.addEmbeddedError('FieldValueRequired', 'Required value: must not be empty', name)
  }
  const tell = (name: string, given: Json | undefined, why: string): void => {
    const message = `Invalid value: ${formatValueWithTypes(given)}: ${why}`
    context.addEmbeddedError('FieldValueInvalid', message, name)
  }
  for (const why of apiVersionProblems(apiVersion)) tell('apiVersion', apiVersion, why)
  for (const why of kindProblems(kind)) tell('kind', kind, why)
  if (isObject(metadata) && !context.isRefused('metadata')) {
    context.path.push('metadata')
    checkMetadata(metadata, context)
    context.path.pop()
  }
}

function apiVersionProblems(given: Json | undefined): readonly string[] {
  const [problem] = textProblems(given)
  if (problem !== undefined) return [problem]
  const text = String(given ?? '')
  return text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : []
}

function kindProblems(given: Json | undefined): readonly string[] {
  const [problem] = textProblems(given)
  if (problem !== undefined) return [problem]
  const problems = given === undefined ? [] : dns1035LabelProblems(String(given).toLowerCase())
  return problems.map((why) => `may have mixed case, but should otherwise match: ${why}`)
}

/** What is wrong with a value that has to be a text, in the words of release 1.29; absent values are told of before. */
function textProblems(given: Json | undefined): readonly string[] {
  if (given === undefined) return []
  if (typeof given !== 'string') return ['must be a string']
  return given === '' ? ['must not be empty'] : []
}

/** Judges metadata like that of stored objects; only the name may be left out. */
function checkMetadata(metadata: JsonObject, context: ReadContext): void {
  const given = metadata as unknown as Metadata
  const errors = newMetadataErrors('path-segment', { ...given, name: given.name || 'unnamed' })
  for (const { path, reason, message } of errors) {
    context.addEmbeddedError(reason, message, path.replace(/^metadata\./, ''))
  }
  const { managedFields } = metadata
  for (const [index, entry] of (Array.isArray(managedFields) ? managedFields : []).entries()) {
    checkManager((entry ?? {}) as JsonObject, `managedFields[${index}]`, context)
  }
}

function checkManager(entry: JsonObject, at: string, context: ReadContext): void {
  const { operation = '', fieldsType = '' } = entry
  const tell = (field: string, value: Json, why: string): void => {
    const message = `Invalid value: ${quoted(String(value))}: ${why}`
    context.addEmbeddedError('FieldValueInvalid', message, `${at}.${field}`)
  }
  if (operation !== 'Apply' && operation !== 'Update')
    tell('operation', operation, 'must be `Apply` or `Update`')
  if (fieldsType !== '' && fieldsType !== 'FieldsV1')
    tell('fieldsType', fieldsType, 'must be `FieldsV1`')
}
