/** The groups that authentication gives to a user of a name. */
export function actingGroups(username: string): readonly string[] {
  if (username === 'system:anonymous') return ['system:unauthenticated']
  const [, account, namespace] = /^system:(serviceaccount):([^:]+):[^:]+$/.exec(username) ?? []
  const accounts =
    account === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  return [...accounts, 'system:authenticated']
}
