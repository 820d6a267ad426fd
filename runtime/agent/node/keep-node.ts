import { type Lease, leases } from '../../../generated/apis/coordination/v1.ts'
import { type Node, nodes } from '../../../generated/apis/core/v1/node.ts'
import type { Client } from '../../client/client.ts'
import { type Clock, microTimestamp, pause } from '../../kernel/async/clock.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import { apiVersionOf, type Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Log } from '../../observe/observe.ts'
import { type NodeSettings, type NodeState, nodeDraft, nodeStatus } from './node-object.ts'

/** How a node is told of. */
export interface KeepNodeOptions {
  readonly client: Client
  readonly settings: NodeSettings
  /** Registers it if it is not there. */
  readonly registers: boolean
  /** Looks at the machine. */
  state(): Promise<NodeState>
  /** How often the status is computed, and written though it has not changed. */
  readonly statusMs: number
  readonly reportMs: number
  readonly leaseSeconds: number
  /** Resolves when there is something to tell that cannot wait. */
  readonly urgent?: Promise<void>
  readonly clock: Clock
  readonly log: Log
}

const firstRetryMs = 100
const mostRetryMs = 7_000
const never = new Promise<void>(() => {})

/** Registers the node. Resolves to it, or to undefined if `signal` aborts first. */
export async function registerNode(
  { client, settings, registers, state, clock, log }: KeepNodeOptions,
  signal: AbortSignal,
): Promise<Stored<Node> | undefined> {
  const all = client.resource(nodes)
  for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, mostRetryMs)) {
    try {
      const found = await all.find(settings.name, signal)
      if (found !== undefined) return await adopted(found)
      if (registers) return await all.create(nodeDraft(settings, await state()), {}, signal)
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists') && !isStatus(error, 'Conflict')) {
        log.error('the node cannot be registered yet', { node: settings.name }, error)
      }
    }
    await pause(clock, waitMs, signal)
  }
  return undefined

  /** A node that is there keeps what others gave it. */
  async function adopted(found: Stored<Node>): Promise<Stored<Node>> {
    const draft = nodeDraft(settings, await state())
    const labels = { ...found.metadata.labels, ...draft.metadata.labels }
    const isSame = deepEqual(labels, found.metadata.labels)
    const labelled = isSame
      ? found
      : await all.update({ ...found, metadata: { ...found.metadata, labels } }, {}, signal)
    const status = nodeStatus(labelled.status, settings, await state())
    return all.updateStatus({ ...labelled, status }, {}, signal)
  }
}

/** Renews the lease of the node and writes its status, until `signal` aborts. */
export async function keepNode(options: KeepNodeOptions, signal: AbortSignal): Promise<void> {
  await Promise.all([keepLease(options, signal), keepStatus(options, signal)])
}

async function keepStatus(options: KeepNodeOptions, signal: AbortSignal): Promise<void> {
  const { client, settings, state, statusMs, reportMs, clock, log } = options
  const all = client.resource(nodes)
  let written = clock.monotonic()
  let urgent = options.urgent?.then(() => {
    urgent = undefined
  })
  for (;;) {
    await Promise.race([pause(clock, statusMs, signal), urgent ?? never])
    if (signal.aborted) return
    try {
      const found = await all.find(settings.name, signal)
      if (found === undefined) {
        if (options.registers) await registerNode(options, signal)
        continue
      }
      const status = nodeStatus(found.status, settings, await state())
      if (sameStatus(found.status, status) && clock.monotonic() - written < reportMs) continue
      await all.updateStatus({ ...found, status }, {}, signal)
      written = clock.monotonic()
    } catch (error) {
      if (signal.aborted || isStatus(error, 'Conflict')) continue
      log.error('the status of the node cannot be written', { node: settings.name }, error)
    }
  }
}

/** True for statuses that differ at most in when they were looked at. */
function sameStatus(a: Node['status'], b: Node['status']): boolean {
  const timeless = (status: Node['status']) => ({
    ...status,
    conditions: status?.conditions?.map(({ lastHeartbeatTime, ...rest }) => rest),
  })
  return deepEqual(timeless(a), timeless(b))
}

async function keepLease(
  { client, settings, leaseSeconds, clock, log }: KeepNodeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { name, platform } = settings
  const all = client.resource(leases).in(`${platform.prefix}-node-lease`)
  let last: Stored<Lease> | undefined
  while (!signal.aborted) {
    try {
      const spec = {
        holderIdentity: name,
        leaseDurationSeconds: leaseSeconds,
        renewTime: microTimestamp(clock.now()),
      }
      last ??= await all.find(name, signal)
      last =
        last === undefined
          ? await all.create(
              { metadata: { name, ownerReferences: await owners() }, spec },
              {},
              signal,
            )
          : await all.update({ ...last, spec: { ...last.spec, ...spec } }, {}, signal)
    } catch (error) {
      last = undefined
      if (signal.aborted) return
      if (!isStatus(error, 'Conflict'))
        log.error('the lease cannot be renewed', { node: name }, error)
    }
    await pause(clock, leaseSeconds * 250, signal)
  }

  async function owners() {
    const node = await client.resource(nodes).get(name, signal)
    return [{ apiVersion: apiVersionOf(nodes), kind: 'Node', name, uid: node.metadata.uid }]
  }
}
