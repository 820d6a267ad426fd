import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../../kernel/validation/field-errors.ts'
import type { Definition, DefinitionNames } from './definition.ts'

/**
 * The names with the defaults of `singular` and `listKind`, which follow from `kind`. Empty counts
 * as absent (C-23). Without a kind both stay empty, so that the validation names the kind and not
 * what follows from it.
 */
export function withDefaultNames(names: DefinitionNames): DefinitionNames {
  const { kind = '', singular, listKind } = names
  return {
    ...names,
    singular: singular || kind.toLowerCase(),
    listKind: listKind || (kind === '' ? '' : `${kind}List`),
  }
}

/**
 * The error of a new definition's own name (supplement C-01). It holds plural and group because it is what makes them unique in the
 * cluster: two definitions of one resource would have one name.
 */
export function validateOwnName({ metadata, spec }: Definition): FieldError[] {
  const { group, names } = spec
  if (metadata.name === `${names.plural}.${group}`) return []
  const reason = 'must be spec.names.plural+"."+spec.group'
  return [{ ...invalid('metadata.name', metadata.name, reason), after: 'metadata.name' }]
}

/** The error of a group: it needs a dot so that it cannot collide with the short groups of the platform. */
export function validateGroup({ spec: { group } }: Definition): FieldError[] {
  const problems = dnsSubdomainProblems(group)
  if (group === '') return [required('spec.group')]
  if (problems.length > 0) return [invalid('spec.group', group, problems.join(','))]
  return group.includes('.')
    ? []
    : [invalid('spec.group', group, 'should be a domain with at least one dot')]
}

/** The errors of the names of a definition's kind, all of which it has. */
export function validateNamesOfSpec({ spec: { names } }: Definition): FieldError[] {
  const missing = (['plural', 'singular', 'kind', 'listKind'] as const).filter((one) => !names[one])
  return [
    ...missing.map((word) => required(`spec.names.${word}`)),
    ...validateNames(names, 'spec.names'),
  ]
}

/**
 * The errors of names that are set; missing ones are accepted. They are used twice: for the
 * requested names in the spec and for the accepted ones in the status. Kinds have mixed case, and
 * are held to the rule of labels in lower case.
 */
export function validateNames(names: DefinitionNames, path: string): FieldError[] {
  const errors: FieldError[] = []
  const checkLabel = (field: string, value: string | undefined): void => {
    const problems = value === undefined ? [] : dns1035LabelProblems(value)
    if (problems.length > 0) errors.push(invalid(`${path}.${field}`, value, problems.join(',')))
  }
  checkLabel('plural', names.plural || undefined)
  checkLabel('singular', names.singular || undefined)
  for (const field of ['kind', 'listKind'] as const) {
    const problems = names[field] ? dns1035LabelProblems(names[field].toLowerCase()) : []
    if (problems.length === 0) continue
    const reason = `may have mixed case, but should otherwise match: ${problems.join(',')}`
    errors.push(invalid(`${path}.${field}`, names[field], reason))
  }
  for (const [index, name] of (names.shortNames ?? []).entries())
    checkLabel(`shortNames[${index}]`, name)
  if (names.kind && names.kind === names.listKind) {
    const reason = 'kind and listKind may not be the same'
    errors.push(invalid(`${path}.listKind`, names.listKind, reason))
  }
  for (const [index, name] of (names.categories ?? []).entries())
    checkLabel(`categories[${index}]`, name)
  return errors
}
