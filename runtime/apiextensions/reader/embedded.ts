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
import type { Check } from './checks.ts'
import { type ReadContext, sortKeysDeep } from './read-context.ts'

/** Reads the metadata of an object; what it reports begins with `metadata`. */
export type ReadMetadata = (value: unknown, report: ReadReport) => Metadata

/** Metadata inside an object: pruned and put in order like an object's own, without a time that nobody wrote. */
export function embeddedMetadata(value: Json, walk: ReadContext, read: ReadMetadata): Json {
  const report = createReport()
  const metadata = read(value, report)
  const inner = (path: string): string => path.replace(/^metadata\.?/, '')
  for (const path of report.unknownFields) walk.addUnknownField(inner(path))
  for (const { path, message, reason } of [...report.typeErrors, ...report.errors]) {
    walk.addError(reason, message, inner(path) || undefined)
  }
  const { creationTimestamp, ...rest } = metadata
  const kept = creationTimestamp ? { creationTimestamp, ...rest } : rest
  return sortKeysDeep(kept as unknown as Json)
}

/** A whole object inside another one says what it is (supplement C-06). */
export const embeddedCheck: Check = (value, walk) => {
  if (!isObject(value)) return
  requireString(value, 'apiVersion', walk)
  requireString(value, 'kind', walk)
  const { kind, metadata } = value
  if (typeof kind === 'string' && kind !== '') {
    for (const why of dns1035LabelProblems(kind.toLowerCase())) {
      const must = `may have mixed case, but should otherwise match: ${why}`
      walk.addError('FieldValueInvalid', `Invalid value: ${formatValue(kind)}: ${must}`, 'kind')
    }
  }
  if (isObject(metadata)) {
    walk.path.push('metadata')
    checkMetadata(metadata, walk)
    walk.path.pop()
  }
}

function requireString(value: JsonObject, name: string, walk: ReadContext): void {
  const given = value[name]
  if (given === undefined)
    walk.addError('FieldValueRequired', 'Required value: must not be empty', name)
  else if (typeof given !== 'string') {
    walk.addError(
      'FieldValueInvalid',
      `Invalid value: ${formatValue(given)}: must be a string`,
      name,
    )
  } else if (given === '') {
    walk.addError('FieldValueInvalid', 'Invalid value: "": must not be empty', name)
  }
}

function checkMetadata(metadata: JsonObject, walk: ReadContext): void {
  const { name, labels, annotations } = metadata
  const tell = (field: string, value: string, problems: readonly string[]): void => {
    for (const why of problems) {
      walk.addError('FieldValueInvalid', `Invalid value: ${formatValue(value)}: ${why}`, field)
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
