import type { UserInfo } from '../kernel/auth/user-info.ts'

/** Whom a client acts as. */
export interface ActingUser {
  /** A name; that of a service account is `system:serviceaccount:NAMESPACE:NAME`. */
  readonly user: string
  /** Groups beside those that every such user is in. */
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The user with the groups that authentication gives such a user: everyone with a name is authenticated. */
export function actingUser(given: string | ActingUser): UserInfo {
  const {
    user: username,
    groups = [],
    uid,
    extra,
  } = typeof given === 'string' ? { user: given } : given
  const all = new Set([...groups, ...groupsOf(username)])
  return {
    username,
    groups: [...all],
    ...(uid !== undefined && { uid }),
    ...(extra !== undefined && { extra }),
  }
}

function groupsOf(username: string): readonly string[] {
  if (username === 'system:anonymous') return ['system:unauthenticated']
  const [system, account, namespace, name] = username.split(':')
  const isAccount = system === 'system' && account === 'serviceaccount' && namespace && name
  const accounts = isAccount
    ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
    : []
  return [...accounts, 'system:authenticated']
}
