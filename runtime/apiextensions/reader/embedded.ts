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
import { sortKeysDeep } from './json-values.ts'
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
  requireString(value, 'apiVersion', context)
  requireString(value, 'kind', context)
  const { apiVersion, kind, metadata } = value
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2) {
    const message = `Invalid value: ${formatValue(apiVersion)}: unexpected GroupVersion string: ${apiVersion}`
    context.addEmbeddedError('FieldValueInvalid', message, 'apiVersion')
  }
  if (typeof kind === 'string' && kind !== '') {
    for (const reason of dns1035LabelProblems(kind.toLowerCase())) {
      const must = `may have mixed case, but should otherwise match: ${reason}`
      context.addEmbeddedError(
        'FieldValueInvalid',
        `Invalid value: ${formatValue(kind)}: ${must}`,
        'kind',
      )
    }
  }
  if (isObject(metadata)) {
    context.path.push('metadata')
    checkMetadata(metadata, context)
    context.path.pop()
  }
}

/** Absent is Required, empty is Invalid, in the words of release 1.29. */
function requireString(value: JsonObject, name: string, context: ReadContext): void {
  const given = value[name]
  if (given === undefined)
    context.addEmbeddedError('FieldValueRequired', 'Required value: must not be empty', name)
  else if (typeof given !== 'string') {
    context.addEmbeddedError(
      'FieldValueInvalid',
      `Invalid value: ${formatValue(given)}: must be a string`,
      name,
    )
  } else if (given === '') {
    context.addEmbeddedError('FieldValueInvalid', 'Invalid value: "": must not be empty', name)
  }
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
