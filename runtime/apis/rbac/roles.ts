import type {
  ClusterRole,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '../../../generated/apis/rbac/v1.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { type LabelSelectorFields, labelRequirementsOf } from '../../kernel/meta/label-selector.ts'
import { dnsSubdomainProblems, referenceProblems } from '../../kernel/meta/names.ts'
import { change, changeAll } from '../../kernel/values/change.ts'
import { errorsOf, type Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { labelSelector } from '../types/label-selectors.ts'
import { permitBinding, permitRole } from './escalation.ts'

/**
 * A role grants verbs on resources.
 * Such a rule cannot name paths that are no resources (supplement I-29).
 */
export const role: Strategy<Role> = {
  permit: permitRole,
  check: (object) => object.each('rules', (rule) => checkRule(rule, true)),
}

/**
 * A cluster role grants verbs on resources or on other paths, or is put together from others.
 * An aggregation without selectors would always be empty. Rules beside an aggregation are accepted:
 * its controller writes over them.
 */
export const clusterRole: Strategy<ClusterRole> = {
  permit: permitRole,
  check(object) {
    object.each('rules', (rule) => checkRule(rule, false))
    object.when('aggregationRule', (rule) => {
      if (!rule.value.clusterRoleSelectors?.length) {
        const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil'
        rule.required('clusterRoleSelectors', why)
      }
      rule.visit('clusterRoleSelectors')
      rule.each('clusterRoleSelectors', (selector) => {
        const { value } = selector
        const sound =
          errorsOf(labelSelector, value).length === 0 &&
          labelRequirementsOf(value as LabelSelectorFields)
        if (!sound) selector.invalid('', 'invalid label selector.', null)
      })
    })
  },
}

/**
 * A rule is about resources or about other paths, never both. One about paths has no further
 * errors; any other needs a group and a resource. Whether verbs and resources exist is not asked:
 * they may come later, and the star stands for all.
 */
function checkRule(rule: Field<PolicyRule>, namespaced: boolean): void {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule.value
  if (!verbs?.length) rule.required('verbs', 'verbs must contain at least one value')
  if (nonResourceURLs?.length) {
    if (namespaced) {
      rule.invalid('nonResourceURLs', 'namespaced rules cannot apply to non-resource URLs')
    }
    if (apiGroups?.length || resources?.length || resourceNames?.length) {
      const why = 'rules cannot apply to both regular resources and non-resource URLs'
      rule.invalid('nonResourceURLs', why)
    }
    return
  }
  if (!apiGroups?.length) {
    rule.required('apiGroups', 'resource rules must supply at least one api group')
  }
  if (!resources?.length) {
    rule.required('resources', 'resource rules must supply at least one resource')
  }
}

/** A binding grants a role of its namespace or of the cluster, always the same one. */
export const roleBinding = binding(['Role', 'ClusterRole'], true)

/** A binding for the whole cluster grants a cluster role, always the same one. */
export const clusterRoleBinding = binding(['ClusterRole'], false)

/**
 * Subjects of kind User and Group are of the authorization group unless they say otherwise. Errors
 * come with the role first, then subject by subject; that the role stays the same is said by the
 * schema (supplement I-29).
 */
function binding(kinds: readonly string[], namespaced: boolean): Strategy<RoleBinding> {
  return {
    permit: permitBinding,
    defaults: (object, { platform }) =>
      change(object, {
        roleRef:
          object.roleRef?.apiGroup === ''
            ? { ...object.roleRef, apiGroup: groupOf(platform) }
            : object.roleRef,
        subjects: changeAll(object.subjects, (subject) => {
          const known = subject.kind === 'User' || subject.kind === 'Group'
          return known && !subject.apiGroup ? { ...subject, apiGroup: groupOf(platform) } : subject
        }),
      }),
    check(object, { platform }) {
      checkRoleRef(object.child('roleRef'), kinds, groupOf(platform))
      object.each('subjects', (each) => checkSubject(each, groupOf(platform), namespaced))
    },
  }
}

function groupOf({ api }: Platform): string {
  return `rbac.authorization.${api}`
}

/**
 * The group is compared as it is: an absent one is an error here, as the schema has filled it in by
 * then. The role itself need not exist.
 */
function checkRoleRef(ref: Field<RoleRef>, kinds: readonly string[], group: string): void {
  const { apiGroup, kind = '', name = '' } = ref.value
  if (apiGroup !== group) ref.unsupported('apiGroup', [group])
  if (!kinds.includes(kind)) ref.unsupported('kind', kinds, kind)
  if (name === '') ref.required('name')
  ref.checkText('name', referenceProblems)
}

/**
 * Service accounts are of the core group and need a namespace in a cluster binding; in a namespaced
 * one an absent namespace is accepted. Names of users and groups are whatever authentication makes
 * of them, so only presence is asked.
 */
function checkSubject(subject: Field<Subject>, group: string, namespaced: boolean): void {
  const { kind = '', apiGroup = '', name = '', namespace = '' } = subject.value
  if (name === '') subject.required('name')
  if (kind === 'ServiceAccount') {
    subject.checkText('name', dnsSubdomainProblems)
    if (apiGroup !== '') subject.unsupported('apiGroup', [''])
    if (!namespaced && namespace === '') subject.required('namespace')
  } else if (kind !== 'User' && kind !== 'Group') {
    subject.unsupported('kind', ['ServiceAccount', 'User', 'Group'], kind)
  } else if (apiGroup !== group) subject.unsupported('apiGroup', [group], apiGroup)
}
