import { invalid, required } from '../kernel/causes.ts'
import { equal } from '../kernel/equal.ts'
import type { Gates } from '../kernel/gates.ts'
import type { Platform } from '../kernel/platform.ts'
import type { Finding } from '../kernel/read.ts'
import type { Steps } from '../kernel/turns.ts'
import { approvalOf, protectedAnnotation } from './approval.ts'
import { conversionFindings } from './conversion-checks.ts'
import { type Definition, holds } from './definition.ts'
import { identityFindings, namesFindings } from './names.ts'
import { versionFindings } from './version-checks.ts'

/**
 * Everything wrong with a definition, and with what it makes of `old` (supplement C-01, C-02, C-05, C-26). Large
 * schemas take long: it stops between their parts.
 */
export function* definitionFindings(
  definition: Definition,
  old: Definition | undefined,
  platform: Platform,
  gates: Gates,
): Steps<readonly Finding[]> {
  const status = namesFindings(
    definition.status?.acceptedNames ?? { plural: '', kind: '' },
    'status.acceptedNames',
  )
  if (old !== undefined && equal(definition.spec, old.spec)) {
    return [...status, ...storedFindings(definition)]
  }
  return [
    ...identityFindings(definition),
    ...(yield* versionFindings(definition, { extension: platform.extension, gates })),
    ...conversionFindings(definition, old),
    ...(definition.spec.preserveUnknownFields === true
      ? [invalid('spec.preserveUnknownFields', true, 'must be false')]
      : []),
    ...(old === undefined ? approvalFindings(definition, platform) : fixed(definition, old)),
    ...status,
    ...storedFindings(definition),
  ]
}

/** What stays as it is: group and plural always, what decides where objects are kept once they can be. */
function fixed({ spec }: Definition, old: Definition): Finding[] {
  const before = old.spec
  const why = 'field is immutable'
  const same = (path: string, value: unknown, other: unknown): Finding[] =>
    value === other ? [] : [invalid(path, value, why)]
  return [
    ...(holds(old, 'Established')
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
function storedFindings({ spec, status }: Definition): readonly Finding[] {
  const versions = new Set(spec.versions.map(({ name }) => name))
  return (status?.storedVersions ?? []).flatMap((name, index) =>
    versions.has(name)
      ? []
      : [invalid(`status.storedVersions[${index}]`, name, 'must appear in spec.versions')],
  )
}

function approvalFindings(definition: Definition, platform: Platform): Finding[] {
  const { state, value } = approvalOf(definition, platform)
  const annotation = protectedAnnotation(platform)
  const at = `metadata.annotations[${annotation}]`
  if (state === 'missing') {
    const why = `protected groups must have approval annotation ${JSON.stringify(annotation)}`
    return [required(at, why)]
  }
  if (state !== 'invalid') return []
  const why = 'must be a URL, or begin with "unapproved"'
  return [invalid(at, value, why)]
}
