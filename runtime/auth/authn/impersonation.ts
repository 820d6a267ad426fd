import type { UserInfo } from '../../kernel/auth/user-info.ts'
import { anonymousUser } from './anonymous.ts'
import { authenticatedGroup, unauthenticatedGroup } from './groups.ts'
import { accountGroups, accountOfUsername } from './service-accounts/usernames.ts'

/** The values of a header, each as it was sent, by its name in lower case. */
export type HeaderValues = (name: string) => readonly string[]

/** Whom a request wants to act as, and what its user must be allowed for that (N-14). */
export interface Impersonation {
  readonly user: UserInfo
  /** A right to each part: the name, each group, each value of an extra fact, the uid. */
  readonly rights: readonly ImpersonationRight[]
}

/** One part, as an authorizer is asked about it. */
export interface ImpersonationRight {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name: string
}

const prefix = 'impersonate-'
const extraPrefix = 'impersonate-extra-'

/** The names of headers that ask for impersonation; every request is asked, so that it is quick to say that there are none. */
export function impersonationHeaders(
  headers: Readonly<Record<string, unknown>>,
): readonly string[] {
  let found: string[] | undefined
  for (const name in headers) {
    if (name.charCodeAt(0) !== 0x69 || !name.startsWith(prefix)) continue
    found ??= []
    found.push(name)
  }
  return found ?? none
}

const none: readonly string[] = []

/**
 * What headers of impersonation ask for; undefined if they name no user, a text if they ask for parts of a user but for no user.
 *
 * @param group The group of kinds that are about identity: `authentication.<api>`.
 */
export function readImpersonation(
  names: readonly string[],
  valuesOf: HeaderValues,
  group: string,
): Impersonation | string | undefined {
  const [username = ''] = valuesOf('impersonate-user')
  const [uid = ''] = valuesOf('impersonate-uid')
  const groups = valuesOf('impersonate-group')
  const extras = names.flatMap((name) => extrasOf(name, valuesOf))
  if (username === '') return withoutUser({ groups, extras, uid, version: `${group}/v1` })
  const facts = { verb: 'impersonate', version: 'v1' }
  const about = { ...facts, group }
  const account = accountOfUsername(username)
  const subject =
    account === undefined
      ? { ...facts, group: '', version: '', resource: 'users', name: username }
      : { ...facts, group: '', version: '', resource: 'serviceaccounts', ...account }
  const rights = [
    subject,
    ...groups.map((name) => ({ ...facts, group: '', version: '', resource: 'groups', name })),
    ...extras.map(({ key, value }) => ({
      ...about,
      resource: 'userextras',
      subresource: key,
      name: value,
    })),
    ...(uid === '' ? [] : [{ ...about, resource: 'uids', name: uid }]),
  ]
  const named =
    groups.length > 0 || account === undefined ? groups : accountGroups(account.namespace)
  const extra = gathered(extras)
  const user = {
    username,
    ...(uid !== '' && { uid }),
    groups: withSystemGroup(username, named),
    ...(extra && { extra }),
  }
  return { user, rights }
}

/** One value of a further fact. */
interface ExtraValue {
  readonly key: string
  readonly value: string
}

/** The facts of a header; its name holds the key, in which bytes may be escaped as in a URL. */
function extrasOf(name: string, valuesOf: HeaderValues): readonly ExtraValue[] {
  if (!name.startsWith(extraPrefix)) return []
  const key = unescaped(name.slice(extraPrefix.length))
  return valuesOf(name).map((value) => ({ key, value }))
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function gathered(extras: readonly ExtraValue[]): UserInfo['extra'] | undefined {
  if (extras.length === 0) return undefined
  const all = new Map<string, string[]>()
  for (const { key, value } of extras) {
    const values = all.get(key) ?? []
    values.push(value)
    all.set(key, values)
  }
  return Object.fromEntries(all)
}

/** Every user but the anonymous one is authenticated, unless the request says otherwise. */
function withSystemGroup(username: string, groups: readonly string[]): readonly string[] {
  const isAnonymous = username === anonymousUser.username
  if (groups.includes(unauthenticatedGroup)) return groups
  if (isAnonymous) return [...groups, unauthenticatedGroup]
  return groups.includes(authenticatedGroup) ? groups : [...groups, authenticatedGroup]
}

/** What a request without a user asks for. */
interface PartsOfNobody {
  readonly groups: readonly string[]
  readonly extras: readonly ExtraValue[]
  readonly uid: string
  readonly version: string
}

/** The public server prints references to objects here, empty members and all. */
function withoutUser({ groups, extras, uid, version }: PartsOfNobody): string | undefined {
  const asked = [
    ...groups.map((name) => `{Group  ${name}    }`),
    ...extras.map(({ key, value }) => `{UserExtra  ${value}  ${version}  ${key}}`),
    ...(uid === '' ? [] : [`{UID  ${uid}  ${version}  }`]),
  ]
  if (asked.length === 0) return undefined
  return `requested [${asked.join(' ')}] without impersonating a user`
}
