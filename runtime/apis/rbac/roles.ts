/** The rules of Role, ClusterRole and their bindings. */

import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import { dnsSubdomainProblems, pathSegmentProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { change, changeAll } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid, invalidAll, required, unsupported } from '../types/field-errors.ts'
import { checkSelector } from '../types/label-selectors.ts'
import type { List } from '../types/shapes.ts'

interface PolicyRule {
  readonly verbs?: List<string>
  readonly apiGroups?: List<string>
  readonly resources?: List<string>
  readonly resourceNames?: List<string>
  readonly nonResourceURLs?: List<string>
}

interface RoleLike extends ApiObject {
  readonly rules?: List<PolicyRule>
  readonly aggregationRule?: { readonly clusterRoleSelectors?: List<LabelSelectorFields> }
}

/** A role grants verbs on resources. */
export const role: Strategy = {
  validate: (object) => checkRules((object as RoleLike).rules ?? [], true),
}

/** A cluster role grants verbs on resources or on other paths, or is put together from others. */
export const clusterRole: Strategy = {
  validate(object) {
    const { rules, aggregationRule } = object as RoleLike
    return [...checkRules(rules ?? [], false), ...checkAggregation(aggregationRule)]
  },
}

function checkAggregation(rule: RoleLike['aggregationRule']): readonly FieldError[] {
  if (rule === undefined) return []
  const path = 'aggregationRule.clusterRoleSelectors'
  const selectors = rule.clusterRoleSelectors ?? []
  if (selectors.length === 0) {
    return [
      required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'),
    ]
  }
  return selectors.flatMap((each, at) => checkSelector(`${path}[${at}]`, each))
}

function checkRules(rules: readonly PolicyRule[], namespaced: boolean): readonly FieldError[] {
  return rules.flatMap((rule, at) => checkRule(`rules[${at}]`, rule, namespaced))
}

function checkRule(path: string, rule: PolicyRule, namespaced: boolean): readonly FieldError[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule
  const verbless = isEmpty(verbs)
    ? [required(`${path}.verbs`, 'verbs must contain at least one value')]
    : []
  if (!isEmpty(nonResourceURLs)) {
    const place = `${path}.nonResourceURLs`
    const mixed = ![apiGroups, resources, resourceNames].every(isEmpty)
    const both = 'rules cannot apply to both regular resources and non-resource URLs'
    return [
      ...verbless,
      ...(namespaced
        ? [invalid(place, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs')]
        : []),
      ...(mixed ? [invalid(place, nonResourceURLs, both)] : []),
    ]
  }
  return [
    ...verbless,
    ...(isEmpty(apiGroups)
      ? [required(`${path}.apiGroups`, 'resource rules must supply at least one api group')]
      : []),
    ...(isEmpty(resources)
      ? [required(`${path}.resources`, 'resource rules must supply at least one resource')]
      : []),
  ]
}

function isEmpty(list: List<string> | undefined): boolean {
  return (list ?? []).length === 0
}

interface Subject {
  readonly kind?: string
  readonly apiGroup?: string
  readonly name?: string
  readonly namespace?: string
}

/** What the rules and cells of bindings look at. */
export interface Binding extends ApiObject {
  readonly subjects?: List<Subject>
  readonly roleRef?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string }
}

/** A binding grants a role of its namespace or of the cluster, always the same one. */
export const roleBinding: Strategy = binding(['Role', 'ClusterRole'], true)

/** A binding for the whole cluster grants a cluster role, always the same one. */
export const clusterRoleBinding: Strategy = binding(['ClusterRole'], false)

function binding(kinds: readonly string[], namespaced: boolean): Strategy {
  return {
    defaults(object, { platform }) {
      const { subjects } = object as Binding
      const named = changeAll(subjects, (subject) => withGroup(subject, platform))
      return named === subjects ? object : change(object as Binding, { subjects: named })
    },
    validate(object, _, { platform }) {
      const { subjects, roleRef = {} } = object as Binding
      return [
        ...checkRoleRef(roleRef, kinds, groupOf(platform)),
        ...(subjects ?? []).flatMap((each, at) =>
          checkSubject(`subjects[${at}]`, each, groupOf(platform), namespaced),
        ),
      ]
    },
  }
}

function groupOf({ api }: Platform): string {
  return `rbac.authorization.${api}`
}

function withGroup(subject: Subject, platform: Platform): Subject {
  const known = subject.kind === 'User' || subject.kind === 'Group'
  return known && !subject.apiGroup ? { ...subject, apiGroup: groupOf(platform) } : subject
}

function checkRoleRef(
  { apiGroup, kind = '', name = '' }: NonNullable<Binding['roleRef']>,
  kinds: readonly string[],
  group: string,
): readonly FieldError[] {
  return [
    ...(apiGroup === group ? [] : [unsupported('roleRef.apiGroup', apiGroup, [group])]),
    ...(kinds.includes(kind) ? [] : [unsupported('roleRef.kind', kind, kinds)]),
    ...(name === ''
      ? [required('roleRef.name')]
      : invalidAll('roleRef.name', name, pathSegmentProblems(name))),
  ]
}

function checkSubject(
  path: string,
  { kind = '', apiGroup = '', name = '', namespace = '' }: Subject,
  group: string,
  namespaced: boolean,
): readonly FieldError[] {
  const nameless = name === '' ? [required(`${path}.name`)] : []
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...nameless,
        ...(name === '' ? [] : invalidAll(`${path}.name`, name, dnsSubdomainProblems(name))),
        ...(apiGroup === '' ? [] : [unsupported(`${path}.apiGroup`, apiGroup, [''])]),
        ...(namespaced || namespace !== '' ? [] : [required(`${path}.namespace`)]),
      ]
    case 'User':
    case 'Group':
      if (apiGroup === group) return nameless
      return [...nameless, unsupported(`${path}.apiGroup`, apiGroup, [group])]
    default:
      return [...nameless, unsupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
  }
}
