import type { Steps } from '../../kernel/async/slices.ts'
import { dns1035LabelProblems } from '../../kernel/meta/names.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required, unsupported } from '../../kernel/validation/field-errors.ts'
import { parseJsonPath } from '../../kernel/values/json-path.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { validateDefaults, validateMetadataDefaults } from '../schema/defaults.ts'
import { validateStructural } from '../schema/structural.ts'
import { compileRules, type RuleOptions } from '../schema/validation-rules.ts'
import type {
  ColumnDefinition,
  Definition,
  DefinitionVersion,
  ScaleDefinition,
} from './definition.ts'
import { versionSchema } from './definition.ts'

/** What is wrong with the versions of a definition (supplement C-01, C-05, C-17, C-18). */
export function* validateVersions(
  { spec }: Definition,
  settings: RuleOptions,
): Steps<FieldError[]> {
  const { versions } = spec
  const found: FieldError[] = []
  const names = versions.map(({ name }) => name)
  if (new Set(names).size !== names.length) {
    found.push(invalid('spec.versions', names, 'must contain unique version names'))
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const why = 'must have exactly one version marked as storage version'
    found.push(invalid('spec.versions', names, why))
  }
  for (const [index, version] of versions.entries()) {
    found.push(...(yield* validateVersion(version, `spec.versions[${index}]`, settings)))
  }
  return found
}

function* validateVersion(
  version: DefinitionVersion,
  place: string,
  settings: RuleOptions,
): Steps<FieldError[]> {
  const { name, subresources, additionalPrinterColumns, deprecated, deprecationWarning } = version
  const problems = dns1035LabelProblems(name)
  const found = problems.length > 0 ? [invalid(`${place}.name`, name, problems.join(','))] : []
  if (deprecationWarning !== undefined && deprecated !== true) {
    const why = 'can only be set for deprecated versions'
    found.push(invalid(`${place}.deprecationWarning`, deprecationWarning, why))
  }
  found.push(
    ...(yield* validateVersionSchema(version, `${place}.schema.openAPIV3Schema`, settings)),
  )
  for (const [at, column] of (additionalPrinterColumns ?? []).entries()) {
    found.push(...validateColumn(column, `${place}.additionalPrinterColumns[${at}]`))
  }
  const { scale } = subresources ?? {}
  return scale ? [...found, ...validateScale(scale, `${place}.subresources.scale`)] : found
}

/** Definitions are checked without knowing how objects are read: what metadata holds is not looked into. */
const unreadMetadata: ReadMetadata = (value) => (value ?? {}) as Metadata

function* validateVersionSchema(
  version: DefinitionVersion,
  place: string,
  settings: RuleOptions,
): Steps<readonly FieldError[]> {
  const { extension } = settings
  const schema = yield* versionSchema(version, extension)
  if (schema === undefined) return [required(place, 'schemas are required')]
  const found = yield* validateStructural(schema, place, extension)
  if (found.length > 0) return found
  const defaults = [
    ...validateMetadataDefaults(schema, place),
    ...(yield* validateDefaults(schema, place, unreadMetadata)),
  ]
  return defaults.length > 0 ? defaults : (yield* compileRules(schema, place, settings)).findings
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

function validateColumn(column: ColumnDefinition, place: string): FieldError[] {
  const { name, type, format, jsonPath } = column
  const found: FieldError[] = []
  if (name === '') found.push(required(`${place}.name`))
  if (type === '') {
    found.push(required(`${place}.type`, `must be one of ${columnTypes.join(',')}`))
  } else if (!columnTypes.includes(type)) {
    found.push(unsupported(`${place}.type`, type, columnTypes))
  }
  if (format && !columnFormats.includes(format)) {
    found.push(unsupported(`${place}.format`, format, columnFormats))
  }
  return [...found, ...validateJsonPath(jsonPath, `${place}.jsonPath`)]
}

function validateJsonPath(path: string, place: string): FieldError[] {
  if (path === '') return [required(place)]
  if (!path.startsWith('.')) {
    return [invalid(place, path, 'must be a simple json path starting with .')]
  }
  return parseJsonPath(path) ? [] : [invalid(place, path, 'must be a json path')]
}

/** Replicas are found by plain steps below the spec and the status. */
function validateScale(scale: ScaleDefinition, place: string): FieldError[] {
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: labels } = scale
  return [
    ...validateScalePath(spec, `${place}.specReplicasPath`, ['.spec']),
    ...validateScalePath(status, `${place}.statusReplicasPath`, ['.status']),
    ...(labels
      ? validateScalePath(labels, `${place}.labelSelectorPath`, ['.status', '.spec'])
      : []),
  ]
}

function validateScalePath(path: string, place: string, roots: readonly string[]): FieldError[] {
  if (path === '') return [required(place)]
  if (!path.startsWith('.')) {
    return [invalid(place, path, 'must be a simple json path starting with .')]
  }
  if (
    !path
      .slice(1)
      .split('.')
      .every((step) => /^[^[\]]+$/.test(step))
  ) {
    return [invalid(place, path, 'must be a simple json path without array notation')]
  }
  if (roots.some((root) => path.startsWith(`${root}.`))) return []
  const where = roots.length > 1 ? `either ${roots.join(' or ')}` : roots[0]
  return [invalid(place, path, `should be a json path under ${where}`)]
}
