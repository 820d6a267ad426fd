/** What lists of bindings, certificate requests and trust bundles show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { CertificateRequest } from '../certificates/certificate-signing-request.ts'
import type { TrustBundle } from '../certificates/trust-bundle.ts'
import type { Binding } from '../rbac/roles.ts'
import { formatAge } from './age.ts'

/** `ClusterRole/admin`. */
export function bindingRole(object: ApiObject): string {
  const { kind, name } = (object as Binding).roleRef ?? {}
  return `${kind}/${name}`
}

export function bindingUsers(object: ApiObject): string {
  return subjectsOf(object, 'User').join(', ')
}

export function bindingGroups(object: ApiObject): string {
  return subjectsOf(object, 'Group').join(', ')
}

/** `namespace/name` of each service account. */
export function bindingAccounts(object: ApiObject): string {
  return subjectsOf(object, 'ServiceAccount').join(', ')
}

function subjectsOf(object: ApiObject, wanted: string): readonly string[] {
  return ((object as Binding).subjects ?? [])
    .filter(({ kind }) => kind === wanted)
    .map(({ name, namespace }) =>
      wanted === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : `${name}`,
    )
}

export function requestedDuration(object: ApiObject): string {
  const seconds = (object as CertificateRequest).spec?.expirationSeconds
  return seconds === undefined ? '<none>' : formatAge(seconds * 1000)
}

/** The decisions, and `Issued` once there is a certificate. */
export function requestCondition(object: ApiObject): string {
  const { conditions, certificate } = (object as CertificateRequest).status ?? {}
  const types = (conditions ?? []).map(({ type }) => type)
  const words = ['Approved', 'Denied', 'Failed'].filter((type) => types.includes(type))
  const said = words.length === 0 ? ['Pending'] : words
  return [...said, ...(certificate ? ['Issued'] : [])].join(',')
}

export function bundleSigner(object: ApiObject): string {
  return (object as TrustBundle).spec?.signerName ?? '<none>'
}
