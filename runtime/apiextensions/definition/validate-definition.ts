import { expressionsIn } from '../../cel/cel.ts'
import type { Steps } from '../../kernel/async/slices.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../../kernel/validation/field-errors.ts'
import { shownList } from '../../kernel/validation/go-value.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { approvalAnnotation, approvalOf, approvalProblem } from './approval.ts'
import { type Definition, isConditionTrue } from './definition.ts'
import { validateGroup, validateNames, validateNamesOfSpec, validateOwnName } from './names.ts'
import { validateConversion } from './validate-conversion.ts'
import { sharedParts, validateSharedParts, validateVersions } from './validate-versions.ts'

/**
 * The field errors of a definition, and of its changes to `old` (supplement C-01, C-02, C-05,
 * C-26). Yields costs in steps: large schemas take long. An update that does not change the spec is
 * not validated again. That keeps definitions alive that an older server accepted: their
 * controllers still write status and finalizers.
 */
export function* validateDefinition(
  definition: Definition,
  old: Definition | undefined,
  platform: Platform,
  gates: EnabledGates,
): Steps<readonly FieldError[]> {
  const status = validateNames(
    definition.status?.acceptedNames ?? { plural: '', kind: '' },
    'status.acceptedNames',
  )
  const approval = validateApproval(definition, old, platform)
  if (old !== undefined && deepEqual(definition.spec, old.spec)) {
    return [...status, ...validateStoredVersions(definition), ...approval]
  }
  const stored = expressionsIn(old?.spec)
  const options = { extension: platform.extension, gates, stored }
  const shared = sharedParts(definition)
  return [
    ...(old === undefined ? validateOwnName(definition) : []),
    ...validateGroup(definition),
    ...(yield* validateVersions(definition, shared, options)),
    ...validateNamesOfSpec(definition),
    ...(yield* validateSharedParts(definition, shared, options)),
    ...validateConversion(definition, old),
    ...(old === undefined ? [] : validateImmutableFields(definition, old)),
    ...status,
    ...validateStoredVersions(definition),
    ...approval,
    ...validatePreserving(definition, platform),
  ]
}

/** A definition keeps unknown fields by its schema, never as a whole. */
function validatePreserving({ spec }: Definition, { extension }: Platform): readonly FieldError[] {
  if (spec.preserveUnknownFields !== true) return []
  const reason = `cannot set to true, set x-${extension}-preserve-unknown-fields to true in spec.versions[*].schema instead`
  return [{ ...invalid('spec.preserveUnknownFields', true, reason), after: '' }]
}

/**
 * Group and plural are immutable, scope and kind once the definition is established: they decide
 * where objects are stored. C-26 is about established definitions; group and plural are in the name
 * of the definition besides, which cannot change either.
 */
function validateImmutableFields({ spec }: Definition, old: Definition): FieldError[] {
  const before = old.spec
  const reason = 'field is immutable'
  const same = (path: string, value: unknown, other: unknown): FieldError[] =>
    value === other ? [] : [{ ...invalid(path, value, reason), after: 'spec' }]
  return [
    ...(isConditionTrue(old, 'Established')
      ? [
          ...same('spec.scope', spec.scope, before.scope),
          ...same('spec.names.kind', spec.names.kind, before.names.kind),
        ]
      : []),
    ...same('spec.group', spec.group, before.group),
    ...same('spec.names.plural', spec.names.plural, before.names.plural),
  ]
}

/**
 * A version cannot be removed while objects may be stored in it, and the storage version is one of
 * those. A migration takes a version out of status.storedVersions first.
 */
function validateStoredVersions({ spec, status }: Definition): readonly FieldError[] {
  const path = 'status.storedVersions'
  const stored = status?.storedVersions ?? []
  if (stored.length === 0) return [invalidVersions(stored, 'must have at least one stored version')]
  const versions = new Set(spec.versions.map(({ name }) => name))
  const left = new Set(stored)
  const missing = spec.versions.filter(({ name, storage }) => {
    const known = left.delete(name)
    return storage && !known
  })
  return [
    ...missing.map(({ name }) => invalidVersions(stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      versions.has(name)
        ? []
        : [invalid(`${path}[${index}]`, name, 'must appear in spec.versions')],
    ),
  ]
}

/** An empty list is shown as none, which it is in the release. */
function invalidVersions(versions: readonly string[], reason: string): FieldError {
  const shown = shownList('string', versions.length === 0 ? undefined : versions)
  return invalid('status.storedVersions', shown, reason)
}

/**
 * It is asked for on create, and when an update changes it for the worse (C-02). `unapproved` passes:
 * it says openly that the group was used without a review, and the condition shows it.
 */
function validateApproval(
  definition: Definition,
  old: Definition | undefined,
  platform: Platform,
): FieldError[] {
  const { state, value } = approvalOf(definition, platform)
  if (old !== undefined && approvalOf(old, platform).state === state) return []
  const annotation = approvalAnnotation(platform)
  const at = `metadata.annotations[${annotation}]`
  if (state !== 'missing' && state !== 'invalid') return []
  const problem = approvalProblem(state, platform)
  const error = state === 'missing' ? required(at, problem) : invalid(at, value, problem)
  return [{ ...error, after: '' }]
}
