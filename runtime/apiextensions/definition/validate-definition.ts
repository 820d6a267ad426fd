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
 * Everything wrong with a definition, and with what it makes of `old` (supplement C-01, C-02, C-05, C-26). Large
 * schemas take long: it stops between their parts.
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

/** What stays as it is: group and plural always, what decides where objects are kept once they can be. */
function validateImmutableFields({ spec }: Definition, old: Definition): FieldError[] {
  const before = old.spec
  const why = 'field is immutable'
  const same = (path: string, value: unknown, other: unknown): FieldError[] =>
    value === other ? [] : [invalid(path, value, why)]
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

/** A version that objects may still be stored in cannot go. */
function validateStoredVersions({ spec, status }: Definition): readonly FieldError[] {
  const versions = new Set(spec.versions.map(({ name }) => name))
  return (status?.storedVersions ?? []).flatMap((name, index) =>
    versions.has(name)
      ? []
      : [invalid(`status.storedVersions[${index}]`, name, 'must appear in spec.versions')],
  )
}

function validateApproval(definition: Definition, platform: Platform): FieldError[] {
  const { state, value } = approvalOf(definition, platform)
  const annotation = approvalAnnotation(platform)
  const at = `metadata.annotations[${annotation}]`
  if (state === 'missing') {
    const why = `protected groups must have approval annotation ${JSON.stringify(annotation)}`
    return [required(at, why)]
  }
  if (state !== 'invalid') return []
  const why = 'must be a URL, or begin with "unapproved"'
  return [invalid(at, value, why)]
}
