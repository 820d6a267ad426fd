import type { Steps } from '../../kernel/async/slices.ts'
import { dns1035LabelProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../../kernel/validation/field-errors.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { childSchemas } from '../schema/schema.ts'
import type { RuleOptions } from '../schema/validation-rules.ts'
import { type Definition, type DefinitionVersion, versionSchema } from './definition.ts'
import { validateColumns } from './validate-columns.ts'
import { validateDeprecation } from './validate-deprecation.ts'
import { validateScale } from './validate-scale.ts'
import { validateVersionSchema } from './validate-version-schema.ts'

/** The parts of versions that are told at the definition where all versions have the same. */
export interface SharedParts {
  readonly schema: boolean
  readonly subresources: boolean
  readonly columns: boolean
}

/** The parts that all versions of a definition share: of one version all of them. */
export function sharedParts({ spec: { versions } }: Definition): SharedParts {
  const [first, ...others] = versions
  const isShared = (part: keyof DefinitionVersion): boolean =>
    first !== undefined && others.every((one) => deepEqual(one[part] ?? null, first[part] ?? null))
  return {
    schema: isShared('schema'),
    subresources: isShared('subresources'),
    columns: isShared('additionalPrinterColumns'),
  }
}

/**
 * The field errors of a definition's versions (supplement C-01, C-05, C-17, C-18), without those of
 * parts that they share. Yields costs in steps. Errors of items come before those about the list.
 */
export function* validateVersions(
  { spec }: Definition,
  shared: SharedParts,
  options: RuleOptions,
): Steps<FieldError[]> {
  const { versions } = spec
  const errors = versions.flatMap(({ schema }, index) =>
    schema?.openAPIV3Schema
      ? []
      : [required(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required')],
  )
  if (spec.preserveUnknownFields === true && (yield* haveDefaults(versions, options.extension))) {
    const reason = 'must be false in order to use defaults in the schema'
    errors.push(invalid('spec.preserveUnknownFields', true, reason))
  }
  for (const [index, version] of versions.entries()) {
    const hasStatus = isSet(
      versions.find(({ name }) => name === version.name)?.subresources?.status,
    )
    const path = `spec.versions[${index}]`
    errors.push(...(yield* validateVersion(version, { path, hasStatus, shared }, options)))
  }
  const names = versions.map(({ name }) => name)
  if (new Set(names).size !== names.length) {
    errors.push(invalid('spec.versions', names, 'must contain unique version names'))
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const reason = 'must have exactly one version marked as storage version'
    errors.push(invalid('spec.versions', names, reason))
  }
  const [first = ''] = names
  const problems = first === '' ? [] : dns1035LabelProblems(first)
  return problems.length === 0
    ? errors
    : [...errors, invalid('spec.version', first, problems.join(','))]
}

function* haveDefaults(versions: readonly DefinitionVersion[], extension: string): Steps<boolean> {
  const queue = versions.flatMap((version) => versionSchema(version, extension) ?? [])
  for (let schema = queue.pop(); schema !== undefined; schema = queue.pop()) {
    if (schema.default !== undefined) return true
    for (const child of childSchemas(schema)) queue.push(child.schema)
    yield 1
  }
  return false
}

/** Where a version stands. Of two with one name the first says whether there is a status subresource. */
interface VersionPlace {
  readonly path: string
  readonly hasStatus: boolean
  readonly shared: SharedParts
}

/**
 * Not served versions are validated too: one of them may be the storage version, whose schema reads
 * what is stored.
 */
function* validateVersion(
  version: DefinitionVersion,
  { path, hasStatus, shared }: VersionPlace,
  options: RuleOptions,
): Steps<FieldError[]> {
  const { name, subresources, additionalPrinterColumns } = version
  const problems = dns1035LabelProblems(name)
  const errors = problems.length > 0 ? [invalid(`${path}.name`, name, problems.join(','))] : []
  errors.push(...validateDeprecation(version, path))
  if (!shared.schema) {
    errors.push(...(yield* validateVersionSchema(version, `${path}.schema`, hasStatus, options)))
  }
  if (!shared.subresources) {
    errors.push(...validateScale(subresources?.scale, `${path}.subresources.scale`))
  }
  if (!shared.columns) {
    errors.push(...validateColumns(additionalPrinterColumns, `${path}.additionalPrinterColumns`))
  }
  return errors
}

/**
 * The field errors of the parts that all versions share, with paths at the definition: there they
 * stood before versions had schemas of their own, and release 1.29 still names them so.
 */
export function* validateSharedParts(
  { spec: { versions } }: Definition,
  shared: SharedParts,
  options: RuleOptions,
): Steps<FieldError[]> {
  const [first] = versions
  if (first === undefined) return []
  const { subresources, additionalPrinterColumns } = first
  const errors: FieldError[] = []
  if (shared.schema) {
    const hasStatus = versions.some((one) => isSet(one.subresources?.status))
    errors.push(...(yield* validateVersionSchema(first, 'spec.validation', hasStatus, options)))
  }
  if (shared.subresources) {
    errors.push(...validateScale(subresources?.scale, 'spec.subresources.scale'))
  }
  if (shared.columns) {
    errors.push(...validateColumns(additionalPrinterColumns, 'spec.additionalPrinterColumns'))
  }
  return errors
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}
