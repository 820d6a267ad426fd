import type { ClusterRole, ClusterRoleBinding } from '../../../generated/apis/rbac/v1.ts'
import { AccessIndex, type AuthorizationAttributes } from '../../../runtime/auth/auth.ts'
import type { Client } from '../../../runtime/client/client.ts'
import type { ApiObject } from '../../../runtime/kernel/meta/object.ts'

type AnyRole = ApiObject & Pick<ClusterRole, 'rules'>
type AnyBinding = ApiObject & Pick<ClusterRoleBinding, 'roleRef' | 'subjects'>

/** The roles and bindings of a server, and the names of their group. */
export interface Rights {
  readonly index: AccessIndex
  readonly group: string
}

/** Reads all roles and bindings of a server. @throws StatusError Forbidden for who may not list them. */
export async function rightsOf(client: Client): Promise<Rights> {
  const index = new AccessIndex()
  const list = async <T extends ApiObject>(plural: string) => {
    const resource = await client.dynamic(plural)
    const { items } = await resource.listAll()
    return { group: resource.kind.group, items: items as unknown as readonly T[] }
  }
  const place = ({ metadata: { namespace = '', name = '' } }: ApiObject) => ({ namespace, name })
  const [clusterRoles, roles, clusterBindings, bindings] = await Promise.all([
    list<AnyRole>('clusterroles'),
    list<AnyRole>('roles'),
    list<AnyBinding>('clusterrolebindings'),
    list<AnyBinding>('rolebindings'),
  ])
  for (const role of [...clusterRoles.items, ...roles.items]) {
    index.setRole({ ...place(role), rules: role.rules ?? [] })
  }
  for (const binding of [...clusterBindings.items, ...bindings.items]) {
    const { roleRef, subjects } = binding
    index.setBinding({ ...place(binding), roleRef, subjects: subjects ?? [] })
  }
  return { index, group: clusterRoles.group }
}

/** The part of a question that a command line asks: VERB RESOURCE[/SUBRESOURCE] [NAME], or VERB /PATH. */
export type Asked = Omit<AuthorizationAttributes, 'user'>

/** What the words of a command line ask. @throws StatusError for a resource that the server does not have. */
export async function askedOf(
  client: Client,
  [verb = '', what = '', name = '']: readonly string[],
  namespace: string,
): Promise<Asked> {
  if (what.startsWith('/')) return { verb, group: '', resource: '', name: '', path: what }
  const [resource = '', subresource] = what.split('/')
  const place = { ...(subresource && { subresource }), ...(namespace && { namespace }) }
  if (resource === '*') return { verb, group: '*', resource, name, ...place }
  const { kind } = await client.dynamic(resource)
  const { group, plural, scope } = kind
  const { namespace: _, ...clusterPlace } = place as { namespace?: string }
  return { verb, group, resource: plural, name, ...(scope === 'Cluster' ? clusterPlace : place) }
}
