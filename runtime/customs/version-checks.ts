import { invalid, required, unsupported } from '../kernel/causes.ts'
import { parseJsonPath } from '../kernel/json-path.ts'
import { dns1035LabelProblems } from '../kernel/names.ts'
import type { Metadata } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import type { Steps } from '../kernel/turns.ts'
import { defaultFindings, metadataDefaults } from './defaults.ts'
import type { ColumnDefinition, Definition, ScaleDefinition, Version } from './definition.ts'
import { versionSchema } from './definition.ts'
import type { ReadMetadata } from './embedded.ts'
import { compileRules, type RuleSettings } from './rules.ts'
import { structuralFindings } from './structural.ts'

/** What is wrong with the versions of a definition (supplement C-01, C-05, C-17, C-18). */
export function* versionFindings({ spec }: Definition, settings: RuleSettings): Steps<Finding[]> {
  const { versions } = spec
  const found: Finding[] = []
  const names = versions.map(({ name }) => name)
  if (new Set(names).size !== names.length) {
    found.push(invalid('spec.versions', names, 'must contain unique version names'))
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const why = 'must have exactly one version marked as storage version'
    found.push(invalid('spec.versions', names, why))
  }
  for (const [index, version] of versions.entries()) {
    found.push(...(yield* oneVersion(version, `spec.versions[${index}]`, settings)))
  }
  return found
}

function* oneVersion(version: Version, place: string, settings: RuleSettings): Steps<Finding[]> {
  const { name, subresources, additionalPrinterColumns, deprecated, deprecationWarning } = version
  const problems = dns1035LabelProblems(name)
  const found = problems.length > 0 ? [invalid(`${place}.name`, name, problems.join(','))] : []
  if (deprecationWarning !== undefined && deprecated !== true) {
    const why = 'can only be set for deprecated versions'
    found.push(invalid(`${place}.deprecationWarning`, deprecationWarning, why))
  }
  found.push(...(yield* schemaFindings(version, `${place}.schema.openAPIV3Schema`, settings)))
  for (const [at, column] of (additionalPrinterColumns ?? []).entries()) {
    found.push(...columnFindings(column, `${place}.additionalPrinterColumns[${at}]`))
  }
  const { scale } = subresources ?? {}
  return scale ? [...found, ...scaleFindings(scale, `${place}.subresources.scale`)] : found
}

/** Definitions are checked without knowing how objects are read: what metadata holds is not looked into. */
const asItIs: ReadMetadata = (value) => (value ?? {}) as Metadata

function* schemaFindings(
  version: Version,
  place: string,
  settings: RuleSettings,
): Steps<readonly Finding[]> {
  const { extension } = settings
  const schema = yield* versionSchema(version, extension)
  if (schema === undefined) return [required(place, 'schemas are required')]
  const found = yield* structuralFindings(schema, place, extension)
  if (found.length > 0) return found
  const defaults = [
    ...metadataDefaults(schema, place),
    ...(yield* defaultFindings(schema, place, asItIs)),
  ]
  return defaults.length > 0 ? defaults : (yield* compileRules(schema, place, settings)).findings
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

function columnFindings(column: ColumnDefinition, place: string): Finding[] {
  const { name, type, format, jsonPath } = column
  const found: Finding[] = []
  if (name === '') found.push(required(`${place}.name`))
  if (type === '') {
    found.push(required(`${place}.type`, `must be one of ${columnTypes.join(',')}`))
  } else if (!columnTypes.includes(type)) {
    found.push(unsupported(`${place}.type`, type, columnTypes))
  }
  if (format && !columnFormats.includes(format)) {
    found.push(unsupported(`${place}.format`, format, columnFormats))
  }
  return [...found, ...pathFindings(jsonPath, `${place}.jsonPath`)]
}

function pathFindings(path: string, place: string): Finding[] {
  if (path === '') return [required(place)]
  if (!path.startsWith('.')) {
    return [invalid(place, path, 'must be a simple json path starting with .')]
  }
  return parseJsonPath(path) ? [] : [invalid(place, path, 'must be a json path')]
}

/** Replicas are found by plain steps below the spec and the status. */
function scaleFindings(scale: ScaleDefinition, place: string): Finding[] {
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: labels } = scale
  return [
    ...scalePath(spec, `${place}.specReplicasPath`, ['.spec']),
    ...scalePath(status, `${place}.statusReplicasPath`, ['.status']),
    ...(labels ? scalePath(labels, `${place}.labelSelectorPath`, ['.status', '.spec']) : []),
  ]
}

function scalePath(path: string, place: string, roots: readonly string[]): Finding[] {
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
