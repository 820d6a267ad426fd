/** Loops that a server runs unless a controller manager does: the lease of the latter decides. */
import type { Client } from '../client/client.ts'
import { createInformer } from '../informer/informer.ts'
import { aborted } from '../kernel/async/abort-signal.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'

/** A lease by its place. */
export interface NamedLease {
  readonly kind: AnyKind
  readonly namespace: string
  readonly name: string
}

interface Lease extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string | null
    readonly leaseDurationSeconds?: number | null
  }
}

/** The lease that a controller manager of the platform holds while it works; undefined for a scheme without leases. */
export function managerLease({ routes, platform }: Scheme): NamedLease | undefined {
  const { api, prefix } = platform
  const kind = routes[`apis/coordination.${api}/v1/leases`]
  return kind && { kind, namespace: `${prefix}-system`, name: `${prefix}-controller-manager` }
}

/** What a lease is watched with. */
export interface LeaseWatching {
  readonly client: Client
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Seconds that a lease counts as held which does not say how long. */
const usualSeconds = 15

/**
 * Runs `work` while a lease is held by no other process: it begins when the lease is free or was not renewed in its time, and its signal aborts
 * when the lease is taken. Ends with `signal`.
 */
export async function whileLeaseIsFree(
  { kind, namespace, name }: NamedLease,
  { client, clock, signal }: LeaseWatching,
  work: (free: AbortSignal) => Promise<void>,
): Promise<void> {
  let turn = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let cancel = (): void => {}
  const begin = (): void => {
    const { signal: free } = turn
    running = running.then(() => (free.aborted || signal.aborted ? undefined : work(free)))
  }
  const end = (): void => {
    turn.abort()
    turn = new AbortController()
  }
  let isHeld = false
  const see = (lease: Stored<Lease> | undefined): void => {
    cancel()
    const { holderIdentity, leaseDurationSeconds } = lease?.spec ?? {}
    const holds = typeof holderIdentity === 'string' && holderIdentity !== ''
    if (holds) {
      cancel = clock.after((leaseDurationSeconds ?? usualSeconds) * 1000, () => see(undefined))
    }
    if (holds === isHeld) return
    isHeld = holds
    if (holds) end()
    else begin()
  }
  const informer = createInformer(client.resource<Lease>(kind).in(namespace), {
    fieldSelector: `metadata.name=${name}`,
    clock,
    keepAlive: false,
  })
  informer.on({ added: see, updated: see, deleted: () => see(undefined) })
  const following = informer.run(signal)
  begin()
  await aborted(signal)
  cancel()
  end()
  await Promise.all([following, running])
}
