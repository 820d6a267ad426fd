import { readerProblems } from '../../apply/apply.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { unmarshalProblem } from '../../serializer/serializer.ts'
import type { Body, Target, WriteOptions } from '../contract/contract.ts'

/**
 * Reads the body of an apply.
 *
 * @throws StatusError BadRequest unless it is of the path's kind and version, without managed fields; code 500 if it holds
 *   anything outside the schema.
 */
export function readConfig(target: Target, value: Json): JsonObject {
  const { kind } = target
  const config = value ?? {}
  if (!isObject(config)) {
    const why = unmarshalProblem(value, 'value of type map[string]interface {}')
    throw new StatusError(
      'BadRequest',
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`,
    )
  }
  checkType(kind, config)
  const metadata = isObject(config.metadata) ? config.metadata : {}
  if (holdsManagers(kind, metadata.managedFields)) {
    throw new StatusError('BadRequest', 'metadata.managedFields must be nil')
  }
  checkSchema(kind, config)
  const apiVersion = apiVersionOf(kind)
  return { ...config, apiVersion, metadata: { name: target.name ?? '', ...metadata } }
}

/** True for managed fields that can be read: what can not is told with the rest of the configuration. */
function holdsManagers(kind: Kind, given: Json | undefined): boolean {
  if (!Array.isArray(given)) return false
  if (!given.every((item: Json) => isObject(item))) return false
  const report = createReport()
  kind.read({ metadata: { managedFields: given } }, report)
  return report.typeErrors.length === 0
}

/** The group may be empty before the slash: `/v1` is `v1`. What is no version at all counts as no type. */
function checkType(kind: Kind, { apiVersion, kind: given }: JsonObject): void {
  const version = typeof apiVersion === 'string' ? apiVersion : ''
  const [group, name] = version.includes('/') ? version.split('/') : ['', version]
  const type =
    version.split('/').length > 2
      ? '/, Kind='
      : `${group}/${name}, Kind=${typeof given === 'string' ? given : ''}`
  if (type === `${kind.group}/${kind.version}, Kind=${kind.kind}`) return
  throw new StatusError('BadRequest', `invalid object type: ${type}`)
}

/** An applied configuration may hold unknown fields no more than values of a wrong type: they could not be managed. */
function checkSchema(kind: Kind, config: JsonObject): void {
  const problems = kind.customResource?.typeProblems(config) ?? problemsOf(kind, config)
  if (problems.length > 0) throw schemaConflict(kind, config, problems)
}

function problemsOf(kind: Kind, config: JsonObject): readonly string[] {
  const report = createReport()
  kind.read(config, report)
  return readerProblems(config, kind.merge, report)
}

/** How many problems one message names. */
const maxProblems = 100

/** The 500 of a configuration that does not fit its schema. */
export function schemaConflict(
  kind: Kind,
  config: JsonObject,
  problems: readonly string[],
  which: 'live' | 'patch' = 'patch',
): StatusError {
  const shown = problems.slice(0, maxProblems)
  const why =
    problems.length === 1 ? problems[0] : ['errors:', ...shown.map((one) => `  ${one}`)].join('\n')
  return new StatusError(
    '',
    `failed to create typed ${which} object (${configName(kind, config)}): ${why}`,
  )
}

/** The 500 of a configuration whose merge cannot be read as an object of its kind. */
export function conversionConflict(kind: Kind, config: JsonObject, why: string): StatusError {
  return new StatusError(
    '',
    `failed to convert new object (${configName(kind, config)}) to proper version: ` +
      `unable to convert unstructured object to ${typeText(kind)}: ${why}`,
  )
}

function configName(kind: Kind, config: JsonObject): string {
  const { namespace, name } = (config.metadata ?? {}) as Record<string, Json>
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
  return `${text(namespace)}/${text(name)}; ${typeText(kind)}`
}

function typeText({ group, version, kind }: Kind): string {
  return `${group}/${version}, Kind=${kind}`
}

/** Warnings about keys that stood twice. @throws StatusError BadRequest under strict field validation. */
export function duplicateWarnings({ duplicates, strict }: Body, { fieldValidation }: WriteOptions) {
  if (fieldValidation === 'Strict' && duplicates.length > 0) {
    const why = `error converting YAML to JSON: ${strict?.error([]) ?? duplicates.join(', ')}`
    throw new StatusError('BadRequest', `error strict decoding YAML: ${why}`)
  }
  return fieldValidation === 'Warn' ? duplicates : []
}
