import { dnsLabelProblems, dnsSubdomainProblems } from '../../../kernel/meta/names.ts'

const prefix = 'system:serviceaccount:'

/** The user name of a service account. */
export function accountUsername(namespace: string, name: string): string {
  return `${prefix}${namespace}:${name}`
}

/** The groups of a service account. */
export function accountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** A service account by its namespace and name. */
export interface AccountName {
  readonly namespace: string
  readonly name: string
}

/** The service account that a user name stands for; undefined for any other name. */
export function accountOfUsername(username: string): AccountName | undefined {
  if (!username.startsWith(prefix)) return undefined
  const [namespace = '', name = '', ...more] = username.slice(prefix.length).split(':')
  if (more.length > 0 || dnsLabelProblems(namespace).length > 0) return undefined
  return dnsSubdomainProblems(name).length > 0 ? undefined : { namespace, name }
}
