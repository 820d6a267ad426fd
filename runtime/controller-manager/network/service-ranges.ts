import {
  type IPAddress,
  ipAddresses,
} from '../../../generated/apis/networking/v1alpha1/ip-address.ts'
import {
  type ServiceCIDR,
  serviceCIDRs,
} from '../../../generated/apis/networking/v1alpha1/service-cidr.ts'
import type { Key } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { capitalized } from '../../kernel/values/capitalized.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { contains, decideRange, overlap } from './decide-range.ts'

/**
 * Keeps ranges of service addresses as long as addresses are taken from them (gate MultiCIDRServiceAllocator).
 *
 *   reads    ServiceCIDR, IPAddress
 *   writes   ServiceCIDR: finalizer, condition Ready; Event
 *   wakes    when a range changes, one that it overlaps with comes or goes, or an address of it does
 *   settles  when ranges are ready, and those that are to go and have no address of their own are gone
 */
export async function serviceRangeController({
  name,
  platform,
}: BuildContext): Promise<readonly KeyController[]> {
  const allocator = `ipallocator.${platform.api}`
  const managedBy = `ipaddress.${platform.domain}/managed-by`
  return [
    {
      name,
      concurrency: 5,
      watches: [
        watching(serviceCIDRs, (range, lookup) => [
          objectKey(range),
          ...overlapping(range, lookup),
        ]),
        watching(ipAddresses, containing, {
          where: ({ metadata }) => metadata.labels?.[managedBy] === allocator,
          when: ({ type }) => type !== 'updated',
        }),
      ],
      async reconcile(key, context) {
        const range = context.cached(serviceCIDRs).get(key)
        if (range === undefined) return done
        const own = ({ metadata }: Stored<IPAddress>) => metadata.labels?.[managedBy] === allocator
        try {
          return await settle(
            range,
            context.cached(ipAddresses).list().filter(own),
            platform,
            context,
          )
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          if (!isStatus(error, 'NotFound')) throw error
          return done
        }
      },
    },
  ]
}

function overlapping(range: Stored<ServiceCIDR>, { cached }: Lookup): readonly Key[] {
  return cached(serviceCIDRs)
    .list()
    .filter((one) => overlap(one, range))
    .map(objectKey)
}

function containing({ metadata }: Stored<IPAddress>, { cached }: Lookup): readonly Key[] {
  return cached(serviceCIDRs)
    .list()
    .filter((one) => contains(one, metadata.name))
    .map(objectKey)
}

async function settle(
  range: Stored<ServiceCIDR>,
  addresses: readonly Stored<IPAddress>[],
  platform: Platform,
  { cached, client, clock, event, signal }: KeyContext,
): Promise<Outcome> {
  const finalizer = `networking.${platform.api}/service-cidr-finalizer`
  const brand = capitalized(platform.brand)
  const plan = decideRange(range, cached(serviceCIDRs).list(), addresses, finalizer, clock.now())
  const all = client.resource(serviceCIDRs)
  const { resourceVersion, finalizers = [] } = range.metadata
  const withFinalizers = (wanted: readonly string[]) =>
    all.mergePatch(
      objectKey(range),
      { metadata: { resourceVersion, finalizers: wanted } },
      {},
      signal,
    )
  const withCondition = (status: 'True' | 'False', reason: string, message: string) => {
    const now = timestamp(clock.now())
    const condition = { type: 'Ready', status, reason, message, lastTransitionTime: now }
    const given = { metadata: { name: range.metadata.name }, status: { conditions: [condition] } }
    const options = { manager: 'service-cidr-controller', force: true, subresource: 'status' }
    return all.apply(given, options, signal)
  }
  switch (plan.is) {
    case 'protect':
      await withFinalizers([...finalizers, finalizer])
      return again(0)
    case 'ready':
      try {
        await withCondition('True', '', `${brand} Service CIDR is ready`)
      } catch (error) {
        const message = 'The ServiceCIDR Status can not be set to Ready=True'
        event(range, { type: 'Warning', reason: `${brand}ServiceCIDRError`, message })
        throw error
      }
      return done
    case 'terminating':
      await withCondition(
        'False',
        'Terminating',
        'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
      )
      return done
    case 'wait':
      return again(plan.ms)
    case 'release':
      await withFinalizers(finalizers.filter((one) => one !== finalizer))
      return done
    default:
      return done
  }
}
