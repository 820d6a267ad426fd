/** The leases by which the servers of a cluster know how many they are (O-07). */
import { createHash } from 'node:crypto'
import type { Lease } from '../../../generated/apis/coordination/v1.ts'
import type { Client } from '../../client/client.ts'
import { microTimestamp } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { again, type KeyController } from '../../reconcile/reconcile.ts'
import { ignoreLostRace, isLostRace } from '../contract/lost-race.ts'

/** Whose lease it is, and where. */
export interface IdentityLeaseOptions {
  readonly scheme: Scheme
  /** The name of the machine. */
  readonly hostname: string
  /** Tells this process from others of the machine, earlier ones among them. */
  readonly process: string
}

/** The lease of one server. */
interface IdentityLease {
  readonly kind: Kind<Lease>
  readonly key: { readonly namespace: string; readonly name: string }
  readonly labels: Readonly<Record<string, string>>
  readonly holderIdentity: string
}

const durationSeconds = 3600
const renewMs = 10_000
const retryMs = 1000
const garbageMs = 3_600_000

/**
 * Holds the lease of this server: of an hour, written anew every ten seconds. Of two servers on one machine, the one that wrote last holds it.
 *
 *   reads    Lease: its own
 *   writes   the same: create, update
 *   wakes    every ten seconds
 */
export function identityLeaseController(options: IdentityLeaseOptions): KeyController | undefined {
  const lease = identityLease(options)
  if (lease === undefined) return undefined
  return {
    name: 'identity-lease',
    seeds: [lease.key],
    watches: [],
    async reconcile(_, { client, clock, log }) {
      try {
        await renew(client, lease, microTimestamp(clock.now()))
        return again(renewMs)
      } catch (error) {
        // One that was over is removed while it is taken anew.
        if (isLostRace(error)) return again(0)
        log.warn('the lease of this server was not renewed', { reason: String(error) })
        return again(retryMs)
      }
    },
  }
}

/** Removes the lease of a server that stops, unless another one holds it by now. Its loop must have ended. */
export async function leaveIdentityLease(
  options: IdentityLeaseOptions,
  client: Client,
): Promise<void> {
  const lease = identityLease(options)
  if (lease === undefined) return
  const leases = client.resource(lease.kind)
  const stored = await leases.find(lease.key)
  if (stored?.spec?.holderIdentity !== lease.holderIdentity) return
  await ignoreLostRace(leases.delete(stored, { unchanged: true }))
}

/** Undefined where there are no leases. */
function identityLease({
  scheme,
  hostname,
  process,
}: IdentityLeaseOptions): IdentityLease | undefined {
  const kind = leaseKind(scheme)
  if (kind === undefined) return undefined
  const { domain, prefix } = scheme.platform
  const program = `${prefix}-apiserver`
  const name = identityOf(hostname, program)
  const labels = {
    [identityLabel(scheme.platform)]: program,
    [`${domain}/hostname`]: hostname,
  }
  const key = { namespace: `${prefix}-system`, name }
  return { kind, key, labels, holderIdentity: `${name}_${process}` }
}

async function renew(
  client: Client,
  { kind, key, labels, holderIdentity }: IdentityLease,
  renewTime: string,
): Promise<void> {
  const leases = client.resource(kind)
  const stored = await leases.find(key)
  if (stored === undefined) {
    const spec = { holderIdentity, leaseDurationSeconds: durationSeconds, renewTime }
    await leases.create({ metadata: { ...key, labels }, spec } as never)
    return
  }
  const metadata = { ...stored.metadata, labels: { ...stored.metadata.labels, ...labels } }
  const spec = { ...stored.spec, holderIdentity, renewTime }
  await leases.update({ ...stored, metadata, spec })
}

/**
 * Removes the leases of servers that are gone.
 *
 *   reads    Lease: those of servers
 *   writes   the same: delete
 *   wakes    every hour
 */
export function identityLeaseGarbage({
  scheme,
}: Pick<IdentityLeaseOptions, 'scheme'>): KeyController | undefined {
  const kind = leaseKind(scheme)
  if (kind === undefined) return undefined
  const { platform } = scheme
  const namespace = `${platform.prefix}-system`
  const labelSelector = `${identityLabel(platform)}=${platform.prefix}-apiserver`
  return {
    name: 'identity-lease-garbage',
    seeds: [{ namespace, name: 'expired' }],
    watches: [],
    async reconcile(_, { client, clock, log }) {
      try {
        await removeExpired(client, kind, { namespace, labelSelector, now: clock.now() })
      } catch (error) {
        log.warn('leases of servers that are gone stay', { reason: String(error) })
      }
      return again(garbageMs)
    },
  }
}

async function removeExpired(
  client: Client,
  kind: Kind<Lease>,
  where: { readonly namespace: string; readonly labelSelector: string; readonly now: number },
): Promise<void> {
  const { namespace, labelSelector, now } = where
  const leases = client.resource(kind).in(namespace)
  for await (const lease of leases.list({ labelSelector })) {
    if (isExpired(lease, now)) await ignoreLostRace(leases.delete(lease, { unchanged: true }))
  }
}

/** A lease that does not say when it ends counts as over: no server writes such a one. */
export function isExpired({ spec }: Stored<Lease>, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec ?? {}
  if (typeof renewTime !== 'string' || typeof leaseDurationSeconds !== 'number') return true
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < now
}

/** The name of the lease of a program on a machine: a name of an object, whatever that of the machine is. */
export function identityOf(hostname: string, program: string): string {
  const hash = createHash('sha256')
  for (const text of [hostname, program]) {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(Buffer.byteLength(text))
    hash.update(length).update(text)
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`
}

const base32Digits = 'abcdefghijklmnopqrstuvwxyz234567'

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => base32Digits[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}

function identityLabel({ domain }: Platform): string {
  return `apiserver.${domain}/identity`
}

function leaseKind({ routes, platform }: Scheme): Kind<Lease> | undefined {
  const path = `apis/coordination.${platform.api}/v1/leases`
  return Object.hasOwn(routes, path) ? (routes[path] as Kind<Lease>) : undefined
}
