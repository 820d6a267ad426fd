import {
  dns1035LabelProblems,
  labelValueProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
} from '../../kernel/meta/names.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import { createReport, type ReadReport } from '../../kernel/validation/field-error.ts'
import { formatValue } from '../../kernel/validation/report.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Check } from './check.ts'
import { formatValueWithTypes, sortKeysDeep } from './json-values.ts'
import type { ReadContext } from './read-context.ts'

/** Reads the metadata of an object. Reported paths begin with `metadata`. */
export type ReadMetadata = (value: unknown, report: ReadReport) => Metadata

/**
 * Reads the metadata of an embedded resource like an object's own, but adds no `creationTimestamp`.
 * Paths of the reader begin with `metadata`; here the current path already ends with it. Errors of
 * type come before the others.
 */
export function embeddedMetadata(value: Json, context: ReadContext, read: ReadMetadata): Json {
  const report = createReport()
  const metadata = read(value, report)
  const [wrong] = report.typeErrors
  if (wrong !== undefined) context.refuseType(value, wrong.message, true)
  const inner = (path: string): string => path.replace(/^metadata\.?/, '')
  for (const path of report.unknownFields) context.addUnknownField(inner(path))
  for (const { path, message, reason } of [...report.typeErrors, ...report.errors]) {
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
  if (isObject(metadata)) {
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

/**
 * Checks names, labels and annotations as those of stored objects. The errors of labels and
 * annotations are at the map, not at the key, and values of annotations are free.
 */
function checkMetadata(metadata: JsonObject, context: ReadContext): void {
  const { name, labels, annotations } = metadata
  const tell = (field: string, value: string, problems: readonly string[]): void => {
    for (const reason of problems) {
      context.addEmbeddedError(
        'FieldValueInvalid',
        `Invalid value: ${formatValue(value)}: ${reason}`,
        field,
      )
    }
  }
  if (typeof name === 'string' && name !== '') tell('name', name, pathSegmentProblems(name))
  for (const [key, value] of Object.entries(isObject(labels) ? labels : {})) {
    tell('labels', key, qualifiedNameProblems(key))
    if (typeof value === 'string') tell('labels', value, labelValueProblems(value))
  }
  for (const key of Object.keys(isObject(annotations) ? annotations : {})) {
    tell('annotations', key, qualifiedNameProblems(key.toLowerCase()))
  }
}
