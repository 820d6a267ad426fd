import type { Steps } from '../../kernel/async/slices.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../../kernel/validation/field-errors.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { approvalAnnotation, approvalOf } from './approval.ts'
import { type Definition, isConditionTrue } from './definition.ts'
import { validateIdentity, validateNames } from './names.ts'
import { validateConversion } from './validate-conversion.ts'
import { validateVersions } from './validate-versions.ts'

/**
 * The field errors of a definition, and of its changes to `old` (supplement C-01, C-02, C-05,
 * C-26). Yields costs in steps: large schemas take long. An update that does not change the spec is
 * not validated again. That keeps definitions alive that an older server accepted: their
 * controllers still write status and finalizers. Immutable fields are held to the old definition
 * and approval to a new one, never both.
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
  if (old !== undefined && deepEqual(definition.spec, old.spec)) {
    return [...status, ...validateStoredVersions(definition)]
  }
  return [
    ...validateIdentity(definition),
    ...(yield* validateVersions(definition, { extension: platform.extension, gates })),
    ...validateConversion(definition, old),
    ...(definition.spec.preserveUnknownFields === true
      ? [invalid('spec.preserveUnknownFields', true, 'must be false')]
      : []),
    ...(old === undefined
      ? validateApproval(definition, platform)
      : validateImmutableFields(definition, old)),
    ...status,
    ...validateStoredVersions(definition),
  ]
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
    value === other ? [] : [invalid(path, value, reason)]
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
 * A version cannot be removed while objects may be stored in it. A migration takes the version out
 * of status.storedVersions first.
 */
function validateStoredVersions({ spec, status }: Definition): readonly FieldError[] {
  const versions = new Set(spec.versions.map(({ name }) => name))
  return (status?.storedVersions ?? []).flatMap((name, index) =>
    versions.has(name)
      ? []
      : [invalid(`status.storedVersions[${index}]`, name, 'must appear in spec.versions')],
  )
}

/**
 * It is asked for on create only (C-02). `unapproved` passes: it says openly that the group was
 * used without a review, and the condition shows it.
 */
function validateApproval(definition: Definition, platform: Platform): FieldError[] {
  const { state, value } = approvalOf(definition, platform)
  const annotation = approvalAnnotation(platform)
  const at = `metadata.annotations[${annotation}]`
  if (state === 'missing') {
    const reason = `protected groups must have approval annotation ${JSON.stringify(annotation)}`
    return [required(at, reason)]
  }
  if (state !== 'invalid') return []
  const reason = 'must be a URL, or begin with "unapproved"'
  return [invalid(at, value, reason)]
}
