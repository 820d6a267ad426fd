import type { Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Body, Target, WriteOptions } from '../contract/contract.ts'

/**
 * Reads the body of an apply.
 *
 * @throws StatusError BadRequest unless it is of the path's kind and version, without managed fields; code 500 if it holds
 *   anything outside the schema.
 */
export function readConfig(target: Target, value: Json): JsonObject {
  const { kind } = target
  if (!isObject(value)) {
    throw new StatusError(
      'BadRequest',
      'error decoding YAML: an applied configuration is an object',
    )
  }
  const expected = apiVersionOf(kind)
  const { apiVersion = '', kind: given = '' } = value
  if (apiVersion !== expected) {
    throw new StatusError(
      'BadRequest',
      'Incorrect version specified in apply patch. ' +
        `Specified patch version: ${apiVersion}, expected: ${expected}`,
    )
  }
  if (given !== kind.kind) {
    const type = `${kind.group}/${kind.version}, Kind=${given}`
    throw new StatusError('BadRequest', `invalid object type: ${type}`)
  }
  const metadata = isObject(value.metadata) ? value.metadata : {}
  if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw new StatusError('BadRequest', 'metadata.managedFields must be nil')
  }
  checkSchema(kind, value)
  return { ...value, metadata: { name: target.name ?? '', ...metadata } }
}

/** An applied configuration may hold unknown fields no more than values of a wrong type: they could not be managed. */
function checkSchema(kind: Kind, config: JsonObject): void {
  const report = createReport()
  kind.read(config, report)
  const problems = [
    ...report.typeErrors.map(({ path, message }) => `.${path}: ${message}`),
    ...report.unknownFields.map((path) => `.${path}: field not declared in schema`),
  ]
  if (problems.length > 0) throw schemaConflict(kind, config, problems)
}

/** How many problems one message names. */
const maxProblems = 100

/** The 500 of a configuration that does not fit its schema. */
export function schemaConflict(
  kind: Kind,
  config: JsonObject,
  problems: readonly string[],
): StatusError {
  const { namespace = '', name = '' } = (config.metadata ?? {}) as Record<string, Json>
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`
  const shown = problems.slice(0, maxProblems)
  const why =
    problems.length === 1 ? problems[0] : ['errors:', ...shown.map((one) => `  ${one}`)].join('\n')
  return new StatusError(
    '',
    `failed to create typed patch object (${namespace}/${name}; ${type}): ${why}`,
  )
}

/** Warnings about keys that stood twice. @throws StatusError BadRequest under strict field validation. */
export function duplicateWarnings({ duplicates, strict }: Body, { fieldValidation }: WriteOptions) {
  if (fieldValidation === 'Strict' && duplicates.length > 0) {
    const why = `error converting YAML to JSON: ${strict?.error([]) ?? duplicates.join(', ')}`
    throw new StatusError('BadRequest', `error strict decoding YAML: ${why}`)
  }
  return fieldValidation === 'Warn' ? duplicates : []
}
