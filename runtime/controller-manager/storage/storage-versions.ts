import {
  type ServerStorageVersion,
  type StorageVersion,
  type StorageVersionCondition,
  type StorageVersionStatus,
  storageVersions,
} from '../../../generated/apis/apiserverinternal/v1alpha1.ts'
import { type Lease, leases } from '../../../generated/apis/coordination/v1.ts'
import { objectKey } from '../../informer/informer.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { again, done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'

/**
 * Forgets which versions servers store and read once they have no lease any more.
 *
 *   reads    Lease, StorageVersion
 *   writes   StorageVersion: status, delete
 *   wakes    when a storage version changes, and when the lease of a server does or goes
 *   settles  when each storage version is of servers that are there
 */
export async function storageVersionCollector({
  name,
  platform,
}: BuildContext): Promise<readonly KeyController[]> {
  const namespace = `${platform.prefix}-system`
  const component = `apiserver.${platform.domain}/identity`
  const isServer = ({ metadata }: Stored<Lease>) =>
    metadata.labels?.[component] === `${platform.prefix}-apiserver`
  return [
    {
      ...{ name, concurrency: 1 },
      watches: [
        watching(storageVersions, (one) => [objectKey(one)], {
          indexes: { server: ({ status }) => serversOf(status) },
        }),
        watching(
          leases,
          ({ metadata }, { cached }) =>
            cached(storageVersions).index('server', metadata.name).map(objectKey),
          { namespace, fields: ['metadata.labels'] },
        ),
      ],
      async reconcile(key, { cached, client, clock, signal }) {
        const version = cached(storageVersions).get(key)
        if (version === undefined) return done
        const isThere = async (server: string): Promise<boolean> => {
          const seen = cached(leases).get({ namespace, name: server })
          const found = seen ?? (await client.resource(leases).in(namespace).find(server, signal))
          return found !== undefined && isServer(found)
        }
        const there = new Set<string>()
        for (const server of serversOf(version.status)) {
          if (await isThere(server)) there.add(server)
        }
        const plan = decideStorageVersion(version, there, clock.now())
        if (plan === undefined) return done
        const resource = client.resource(storageVersions)
        try {
          if (plan === 'delete') await resource.delete(version, { unchanged: true }, signal)
          else await resource.updateStatus({ ...version, status: plan }, {}, signal)
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          if (!isStatus(error, 'NotFound')) throw error
        }
        return done
      },
    },
  ]
}

function serversOf(status: StorageVersionStatus | undefined): readonly string[] {
  return (status?.storageVersions ?? []).map(({ apiServerID = '' }) => apiServerID)
}

/** What becomes of a storage version of which some servers are gone: undefined if none is, else its status without them. */
export function decideStorageVersion(
  { metadata, status }: Pick<Stored<StorageVersion>, 'metadata' | 'status'>,
  there: ReadonlySet<string>,
  now: number,
): StorageVersionStatus | 'delete' | undefined {
  const { storageVersions: all = [], commonEncodingVersion: before, conditions = [] } = status ?? {}
  const staying = all.filter(({ apiServerID = '' }) => there.has(apiServerID))
  if (staying.length === all.length) return undefined
  if (staying.length === 0) return 'delete'
  const common = commonOf(staying)
  const is = common === undefined ? 'Unset' : 'Set'
  const type = 'AllEncodingVersionsEqual'
  const old = conditions.find((one) => one.type === type)
  const isSame =
    old?.status === (common === undefined ? 'False' : 'True') &&
    (before === undefined || common === undefined || before === common)
  const condition: StorageVersionCondition = {
    ...{ type, status: common === undefined ? 'False' : 'True' },
    observedGeneration: metadata.generation ?? 0,
    lastTransitionTime: (isSame && old?.lastTransitionTime) || timestamp(now),
    reason: `CommonEncodingVersion${is}`,
    message: `Common encoding version ${is.toLowerCase()}`,
  }
  return {
    storageVersions: staying,
    ...(common !== undefined && { commonEncodingVersion: common }),
    conditions: [...conditions.filter((one) => one.type !== type), condition],
  }
}

function commonOf(versions: readonly ServerStorageVersion[]): string | undefined {
  const [first] = versions
  const isCommon = versions.every(
    ({ encodingVersion }) => encodingVersion === first?.encodingVersion,
  )
  return isCommon ? first?.encodingVersion : undefined
}
