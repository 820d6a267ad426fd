import { type Awaitable, chainAwaitable } from '../../../kernel/async/awaitable.ts'
import type { IdentitySource, StoredIdentity } from '../stored-identities.ts'
import type { AccountClaims, ObjectClaim } from './claims.ts'

/** Milliseconds that a token stays good after an object that it is bound to began to be deleted (N-09). */
const grace = 60_000

const invalidated = 'service account token has been invalidated'

/** What the objects of a token are checked with. */
export interface BoundObjectChecks {
  readonly source: IdentitySource
  readonly now: number
  /** Tokens may be bound to a node. */
  readonly checksNodes: boolean
  /** The gate that allows for it. */
  readonly nodeGate: string
}

/** Why the objects that a token names do not vouch for it any more, in the reference's words; undefined if they do. */
export function boundObjectProblem(
  claims: AccountClaims,
  checks: BoundObjectChecks,
): Awaitable<string | undefined> {
  return firstProblem([
    () => accountProblem(claims, checks),
    () => secretProblem(claims, checks),
    () => podProblem(claims, checks),
    () => nodeProblem(claims, checks),
  ])
}

type Check = () => Awaitable<string | undefined>

function firstProblem([check, ...rest]: readonly Check[]): Awaitable<string | undefined> {
  if (check === undefined) return undefined
  return chainAwaitable(check(), (problem) => problem ?? firstProblem(rest))
}

function accountProblem(
  { namespace, serviceaccount: { name, uid } }: AccountClaims,
  { source, now }: BoundObjectChecks,
): Awaitable<string | undefined> {
  return chainAwaitable(source.serviceAccount(namespace, name), (account) => {
    if (account === undefined) return `serviceaccounts "${name}" not found`
    if (account.uid !== uid) {
      return `service account UID (${account.uid}) does not match claim (${uid})`
    }
    return isGone(account, now)
      ? `service account ${namespace}/${name} has been deleted`
      : undefined
  })
}

function secretProblem(
  { namespace, secret }: AccountClaims,
  { source, now }: BoundObjectChecks,
): Awaitable<string | undefined> {
  if (secret === undefined) return undefined
  const stored = source.secret(namespace, secret.name)
  return chainAwaitable(stored, (found) =>
    problemOf(found, secret, now, ['secret', 'service account secret ref claim']),
  )
}

function podProblem(
  { namespace, pod }: AccountClaims,
  { source, now }: BoundObjectChecks,
): Awaitable<string | undefined> {
  if (pod === undefined) return undefined
  return chainAwaitable(source.pod(namespace, pod.name), (found) =>
    problemOf(found, pod, now, ['pod', 'service account pod ref claim']),
  )
}

/** The node of a bound pod is only told; a token that is bound to a node itself needs it. */
function nodeProblem(
  { node, pod }: AccountClaims,
  { source, now, checksNodes, nodeGate }: BoundObjectChecks,
): Awaitable<string | undefined> {
  if (node === undefined || pod !== undefined) return undefined
  if (!checksNodes) {
    return `token is bound to a Node object but the ${nodeGate} feature gate is disabled`
  }
  return chainAwaitable(source.node(node.name), (found) =>
    problemOf(found, node, now, ['node', 'service account node ref claim']),
  )
}

function problemOf(
  stored: StoredIdentity | undefined,
  { uid }: ObjectClaim,
  now: number,
  [what, claim]: readonly [what: string, claim: string],
): string | undefined {
  if (stored === undefined) return invalidated
  if (stored.uid !== uid) return `${what} UID (${stored.uid}) does not match ${claim} (${uid})`
  return isGone(stored, now) ? invalidated : undefined
}

function isGone({ deletedAt }: StoredIdentity, now: number): boolean {
  return deletedAt !== undefined && deletedAt < now - grace
}
