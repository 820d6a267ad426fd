import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresourceScale,
} from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import type { Steps } from '../../kernel/async/slices.ts'
import { dns1035LabelProblems } from '../../kernel/meta/names.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required, unsupported } from '../../kernel/validation/field-errors.ts'
import { parseJsonPath } from '../../kernel/values/json-path.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { validateStructural } from '../schema/structural.ts'
import { compileRules, type RuleOptions } from '../schema/validation-rules.ts'
import type { Definition, DefinitionVersion } from './definition.ts'
import { versionSchema } from './definition.ts'
import { validateDefaults, validateMetadataDefaults } from './validate-defaults.ts'

/** The field errors of a definition's versions (supplement C-01, C-05, C-17, C-18). Yields costs in steps. */
export function* validateVersions({ spec }: Definition, options: RuleOptions): Steps<FieldError[]> {
  const { versions } = spec
  const errors: FieldError[] = []
  const names = versions.map(({ name }) => name)
  if (new Set(names).size !== names.length) {
    errors.push(invalid('spec.versions', names, 'must contain unique version names'))
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const reason = 'must have exactly one version marked as storage version'
    errors.push(invalid('spec.versions', names, reason))
  }
  for (const [index, version] of versions.entries()) {
    errors.push(...(yield* validateVersion(version, `spec.versions[${index}]`, options)))
  }
  return errors
}

function* validateVersion(
  version: DefinitionVersion,
  path: string,
  options: RuleOptions,
): Steps<FieldError[]> {
  const { name, subresources, additionalPrinterColumns, deprecated, deprecationWarning } = version
  const problems = dns1035LabelProblems(name)
  const errors = problems.length > 0 ? [invalid(`${path}.name`, name, problems.join(','))] : []
  if (deprecationWarning !== undefined && deprecated !== true) {
    const reason = 'can only be set for deprecated versions'
    errors.push(invalid(`${path}.deprecationWarning`, deprecationWarning, reason))
  }
  errors.push(...(yield* validateVersionSchema(version, `${path}.schema.openAPIV3Schema`, options)))
  for (const [index, column] of (additionalPrinterColumns ?? []).entries()) {
    errors.push(...validateColumn(column, `${path}.additionalPrinterColumns[${index}]`))
  }
  const { scale } = subresources ?? {}
  return scale ? [...errors, ...validateScale(scale, `${path}.subresources.scale`)] : errors
}

/** Metadata in defaults is not read: the validation of definitions does not know the reader of metadata. */
const unreadMetadata: ReadMetadata = (value) => (value ?? {}) as Metadata

/** Each step is run only if the one before found nothing: defaults of a wrong schema mean nothing. */
function* validateVersionSchema(
  version: DefinitionVersion,
  path: string,
  options: RuleOptions,
): Steps<readonly FieldError[]> {
  const { extension } = options
  const schema = yield* versionSchema(version, extension)
  if (schema === undefined) return [required(path, 'schemas are required')]
  const errors = yield* validateStructural(schema, path, extension)
  if (errors.length > 0) return errors
  const defaults = [
    ...validateMetadataDefaults(schema, path),
    ...(yield* validateDefaults(schema, path, unreadMetadata)),
  ]
  return defaults.length > 0 ? defaults : (yield* compileRules(schema, path, options)).errors
}

/** The types and formats that clients know how to print. */
const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

function validateColumn(column: CustomResourceColumnDefinition, path: string): FieldError[] {
  const { name, type, format, jsonPath } = column
  const errors: FieldError[] = []
  if (name === '') errors.push(required(`${path}.name`))
  if (type === '') {
    errors.push(required(`${path}.type`, `must be one of ${columnTypes.join(',')}`))
  } else if (!columnTypes.includes(type)) {
    errors.push(unsupported(`${path}.type`, type, columnTypes))
  }
  if (format && !columnFormats.includes(format)) {
    errors.push(unsupported(`${path}.format`, format, columnFormats))
  }
  return [...errors, ...validateJsonPath(jsonPath, `${path}.jsonPath`)]
}

function validateJsonPath(jsonPath: string, path: string): FieldError[] {
  if (jsonPath === '') return [required(path)]
  if (!jsonPath.startsWith('.')) {
    return [invalid(path, jsonPath, 'must be a simple json path starting with .')]
  }
  return parseJsonPath(jsonPath) ? [] : [invalid(path, jsonPath, 'must be a json path')]
}

/** The paths of a scale are plain property names below the spec and the status. */
function validateScale(scale: CustomResourceSubresourceScale, path: string): FieldError[] {
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: labels } = scale
  return [
    ...validateScalePath(spec, `${path}.specReplicasPath`, ['.spec']),
    ...validateScalePath(status, `${path}.statusReplicasPath`, ['.status']),
    ...(labels ? validateScalePath(labels, `${path}.labelSelectorPath`, ['.status', '.spec']) : []),
  ]
}

function validateScalePath(jsonPath: string, path: string, roots: readonly string[]): FieldError[] {
  if (jsonPath === '') return [required(path)]
  if (!jsonPath.startsWith('.')) {
    return [invalid(path, jsonPath, 'must be a simple json path starting with .')]
  }
  const names = jsonPath.slice(1).split('.')
  if (!names.every((name) => /^[^[\]]+$/.test(name))) {
    return [invalid(path, jsonPath, 'must be a simple json path without array notation')]
  }
  if (roots.some((root) => jsonPath.startsWith(`${root}.`))) return []
  const parent = roots.length > 1 ? `either ${roots.join(' or ')}` : roots[0]
  return [invalid(path, jsonPath, `should be a json path under ${parent}`)]
}
