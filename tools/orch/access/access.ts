/** `orch access`: what a user may do, and through which binding. */

import type { Terminal } from '../../../daemons/run.ts'
import type { SelfSubjectReview } from '../../../generated/apis/authentication/v1.ts'
import type { UserInfo } from '../../../runtime/auth/auth.ts'
import type { Client } from '../../../runtime/client/client.ts'
import { type ClientLine, type Row, runClientCommand, sharedHelp } from '../client-command.ts'
import { actingGroups } from './acting-groups.ts'
import { type Rights, rightsOf } from './rights.ts'
import { throughOf } from './who-can.ts'

const help = `Tells what a user may do, and through which binding. Without a user, what you may do.

Usage:
  orch access [USER] [--group GROUP] [-n NS] [flags]

  orch access
  orch access jane --group developers -n shop
  orch access system:serviceaccount:shop:robot

Without a namespace, what holds in all of them is told, and what holds in each. Groups that every such user is in, such as
system:authenticated, need not be named.

Flags:
      --group GROUP      a group of the user; may be given more than once
${sharedHelp}`

const flags = { group: { type: 'string', multiple: true, default: [] as string[] } }

/** Runs the command. 0: told; 1: the server cannot be asked; 2: the command line is wrong. */
export function runAccess(terminal: Terminal): Promise<number> {
  return runClientCommand({ name: 'access', help, flags }, terminal, access)
}

async function access({ words, values, connected, failed, show }: ClientLine): Promise<number> {
  if (words.length > 1) return failed(2, 'name one user')
  const client = await connected()
  const [username] = words
  const groups = values.group as readonly string[]
  const user =
    username === undefined
      ? await ownUser(client)
      : { username, groups: [...groups, ...actingGroups(username)] }
  show(rulesOf(await rightsOf(client), user, String(values.namespace)))
  return 0
}

async function ownUser(client: Client): Promise<UserInfo> {
  const reviews = await client.dynamic('selfsubjectreviews')
  const review = await reviews.create({ metadata: {} } as never)
  return (review as unknown as SelfSubjectReview).status?.userInfo as unknown as UserInfo
}

/** A row for each rule that a user holds. */
export function rulesOf({ index }: Rights, user: UserInfo, namespace: string): readonly Row[] {
  const places = new Set(['', ...[...index.bindings()].map((binding) => binding.namespace)])
  const asked = namespace === '' ? [...places].sort() : ['', namespace]
  return asked.flatMap((place) =>
    index.grantsOf(user, place).flatMap(({ binding }) =>
      (index.rulesOf(binding.roleRef, place) ?? []).map((rule) => ({
        namespace: place || '*',
        verbs: rule.verbs.join(','),
        resources: resourcesOf(rule),
        names: (rule.resourceNames ?? []).join(',') || '*',
        through: throughOf(place, binding.name),
        role: binding.roleRef.name,
      })),
    ),
  )
}

function resourcesOf({
  apiGroups = [],
  resources = [],
  nonResourceURLs = [],
}: {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}): string {
  if (nonResourceURLs.length > 0) return nonResourceURLs.join(',')
  return apiGroups
    .flatMap((group) => resources.map((one) => (group === '' ? one : `${one}.${group}`)))
    .join(',')
}
