import { type Lease, leases } from '../../../generated/apis/coordination/v1.ts'
import { type Node, nodes } from '../../../generated/apis/core/v1/node.ts'
import type { Client } from '../../client/client.ts'
import type { Deferred } from '../../kernel/async/deferred.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  watching,
} from '../../reconcile/reconcile.ts'
import type { SimulatedNode } from './fleet.ts'
import { isDenied, leaseOf, type NodeFacts, nodeConditions, nodeObject } from './node-object.ts'
import type { Starts } from './starts.ts'

/** Milliseconds between two renewals of a lease, and after which a status is written that has not changed. */
const leaseMs = 10_000
const statusMs = 300_000

/** When the agent of a node spoke last. */
interface Spoken {
  /** The node as it was registered: one of another uid is another's. */
  readonly uid: string
  lease: Stored<Lease> | undefined
  leaseAt: number
  statusAt: number
}

/**
 * The agents of simulated nodes, as far as they speak of themselves: each registers its node, renews its lease every 10 s, and writes the
 * status of its node every 5 min, or when others have changed the conditions. A node that is deleted does not come back.
 *
 *   reads    Node
 *   writes   Node: create, status, and unless a controller does, the taint that keeps pods from a new node; Lease
 *   settles  never: heartbeats go on
 */
export function nodeAgents(
  fleet: ReadonlyMap<string, SimulatedNode>,
  facts: NodeFacts,
  starts: Starts,
  registering: Pick<Deferred<void>, 'resolve' | 'reject'>,
): KeyController {
  const spoken = new Map<string, Spoken>()
  return {
    name: 'simulated-nodes',
    concurrency: 8,
    seeds: [...fleet.keys()].map((name) => ({ name })),
    watches: [
      watching(nodes, ({ metadata: { name } }) => (fleet.has(name) ? [{ name }] : []), {
        where: ({ metadata: { name } }) => fleet.has(name),
      }),
    ],
    sources: [starts.source((name) => [{ name }])],
    async reconcile({ name }, context) {
      const node = fleet.get(name)
      if (node === undefined || !node.running) return done
      const now = context.clock.monotonic()
      let known = spoken.get(name)
      if (known === undefined) {
        const { metadata, spec } = await register(node, facts, context).catch((error: unknown) => {
          if (isStatus(error, 'Invalid') || isStatus(error, 'BadRequest')) registering.reject(error)
          throw error
        })
        if (spec?.podCIDR) node.pods.setRange(spec.podCIDR)
        known = { uid: metadata.uid, lease: undefined, leaseAt: now - leaseMs, statusAt: now }
        spoken.set(name, known)
        if (spoken.size === fleet.size) registering.resolve()
      }
      const stored = context.cached(nodes).get({ name })
      if (stored !== undefined && stored.metadata.uid !== known.uid) return done
      if (stored?.spec?.podCIDR) node.pods.setRange(stored.spec.podCIDR)
      if (now - known.leaseAt >= leaseMs) {
        const isThere = stored ?? (await context.client.resource(nodes).find(name))
        if (isThere === undefined) return done
        await speak(isThere, known, facts, context)
      }
      return again(known.leaseAt + leaseMs - now)
    },
  }
}

/** Makes the node, or takes it over as it is. */
async function register(
  node: SimulatedNode,
  facts: NodeFacts,
  { client, clock, signal }: KeyContext,
): Promise<Stored<Node>> {
  const all = client.resource(nodes)
  const draft = nodeObject(node, facts, clock.now())
  let stored: Stored<Node>
  try {
    stored = await all.create(draft, {}, signal)
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
    const found = await all.get(node.name, signal)
    stored = await all.updateStatus({ ...found, status: { ...found.status, ...draft.status } })
  }
  if (!facts.removesTaint) return stored
  const notReady = `node.${facts.platform.domain}/not-ready`
  const { taints = [] } = stored.spec ?? {}
  const others = taints.filter(({ key }) => key !== notReady)
  if (others.length === taints.length) return stored
  return all.update({ ...stored, spec: { ...stored.spec, taints: others } }, {}, signal)
}

/** Renews the lease; tells the status if that is due. */
async function speak(
  node: Stored<Node>,
  known: Spoken,
  { platform }: NodeFacts,
  { client, clock, signal }: KeyContext,
): Promise<void> {
  const now = clock.monotonic()
  known.lease = await renew(node, known.lease, client, clock.now(), platform.prefix, signal)
  known.leaseAt = now
  if (now - known.statusAt < statusMs && !isDenied(node, platform)) return
  const conditions = nodeConditions(node, platform, clock.now())
  try {
    await client
      .resource(nodes)
      .updateStatus({ ...node, status: { ...node.status, conditions } }, {}, signal)
    known.statusAt = now
  } catch (error) {
    if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error
  }
}

/** Writes the lease that was written last anew; one that others have changed is read again. */
async function renew(
  node: Stored<Node>,
  last: Stored<Lease> | undefined,
  client: Client,
  now: number,
  prefix: string,
  signal: AbortSignal,
): Promise<Stored<Lease>> {
  const all = client.resource(leases).in(`${prefix}-node-lease`)
  const draft = leaseOf(node, now)
  try {
    const found = last ?? (await all.find(node.metadata.name, signal))
    if (found === undefined) return await all.create(draft, {}, signal)
    const spec = { ...found.spec, ...draft.spec }
    return await all.update({ ...found, spec }, {}, signal)
  } catch (error) {
    const isGone = isStatus(error, 'Conflict') || isStatus(error, 'NotFound')
    if (!isGone || last === undefined) throw error
    return renew(node, undefined, client, now, prefix, signal)
  }
}
