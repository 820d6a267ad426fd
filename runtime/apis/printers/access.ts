/** Cells of bindings of roles and of certificate requests. */
import type { CertificateSigningRequest } from '../../../generated/apis/certificates/v1.ts'
import type { ClusterRoleBinding } from '../../../generated/apis/rbac/v1.ts'
import { formatAge } from '../../kernel/values/age.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

type Binding = LooseObject<ClusterRoleBinding>

/** `ClusterRole/admin`. */
export function bindingRole({ roleRef }: Binding): string {
  return `${roleRef?.kind}/${roleRef?.name}`
}

/** Names of the users that the role is granted to. */
export function bindingUsers(binding: Binding): string {
  return subjectsOf(binding, 'User')
}

/** Names of the groups that the role is granted to. */
export function bindingGroups(binding: Binding): string {
  return subjectsOf(binding, 'Group')
}

/** `namespace/name` of each service account that the role is granted to. */
export function bindingAccounts(binding: Binding): string {
  return subjectsOf(binding, 'ServiceAccount')
}

function subjectsOf({ subjects }: Binding, wanted: string): string {
  const found = (subjects ?? []).filter(({ kind }) => kind === wanted)
  const account = wanted === 'ServiceAccount'
  return found
    .map(({ name, namespace }) => (account ? `${namespace ?? ''}/${name}` : `${name}`))
    .join(', ')
}

/** How long the certificate is to be valid. */
export function requestedDuration({ spec }: LooseObject<CertificateSigningRequest>): string {
  const seconds = spec?.expirationSeconds
  return seconds === undefined ? '<none>' : formatAge(seconds * 1000)
}

/** The decisions, and `Issued` once there is a certificate. */
export function requestCondition({ status }: LooseObject<CertificateSigningRequest>): string {
  const types = (status?.conditions ?? []).map(({ type }) => type)
  const decisions = ['Approved', 'Denied', 'Failed'].filter((type) => types.includes(type))
  const shown = decisions.length === 0 ? ['Pending'] : decisions
  return [...shown, ...(status?.certificate ? ['Issued'] : [])].join(',')
}
