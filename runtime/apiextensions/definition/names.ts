import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../../kernel/validation/field-errors.ts'
import type { Definition, DefinitionNames } from './definition.ts'

/** The names with what follows from others filled in. */
export function withDefaultNames(names: DefinitionNames): DefinitionNames {
  const { kind = '', singular, listKind } = names
  return {
    ...names,
    singular: singular || kind.toLowerCase(),
    listKind: listKind || (kind === '' ? '' : `${kind}List`),
  }
}

/** What is wrong with the names of a definition, and with its own (supplement C-01). */
export function validateIdentity({ metadata, spec }: Definition): FieldError[] {
  const { group, names } = spec
  const found: FieldError[] = []
  if (metadata.name !== `${names.plural}.${group}`) {
    found.push(invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group'))
  }
  const problems = dnsSubdomainProblems(group)
  if (group === '') found.push(required('spec.group'))
  else if (problems.length > 0) found.push(invalid('spec.group', group, problems.join(',')))
  else if (!group.includes('.')) {
    found.push(invalid('spec.group', group, 'should be a domain with at least one dot'))
  }
  for (const word of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!names[word]) found.push(required(`spec.names.${word}`))
  }
  return [...found, ...validateNames(names, 'spec.names')]
}

/** What is wrong with names that are there. */
export function validateNames(names: DefinitionNames, place: string): FieldError[] {
  const found: FieldError[] = []
  const label = (path: string, value: string | undefined): void => {
    const problems = value ? dns1035LabelProblems(value) : []
    if (problems.length > 0) found.push(invalid(`${place}.${path}`, value, problems.join(',')))
  }
  label('plural', names.plural)
  label('singular', names.singular)
  for (const word of ['kind', 'listKind'] as const) {
    const problems = names[word] ? dns1035LabelProblems(names[word].toLowerCase()) : []
    if (problems.length === 0) continue
    const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`
    found.push(invalid(`${place}.${word}`, names[word], why))
  }
  for (const [index, name] of (names.shortNames ?? []).entries())
    label(`shortNames[${index}]`, name)
  if (names.kind && names.kind === names.listKind) {
    const why = 'kind and listKind may not be the same'
    found.push(invalid(`${place}.listKind`, names.listKind, why))
  }
  for (const [index, name] of (names.categories ?? []).entries())
    label(`categories[${index}]`, name)
  return found
}
