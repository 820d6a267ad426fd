import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import {
  type StorageClass,
  storageClasses,
} from '../../../../generated/apis/storage/v1/storage-class.ts'
import { type CacheReader, objectKey, parseKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import { parseDuration } from '../../../kernel/values/duration.ts'
import {
  again,
  done,
  every,
  failed,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { claimIndex } from '../claim-users.ts'
import { bind, keepPhase, keepUnbound, unbind } from './bind.ts'
import { annotationOf, type BindingNames, bindingNames, tellingDriver } from './binding-names.ts'
import { decideClaim, defaultClassOf, type ObservedClaim } from './decide-claim.ts'
import { decideVolume } from './decide-volume.ts'
import { type Claim, claimKeyOf, classOf, fittingVolumes, type Volume } from './match-volume.ts'
import { type ProvisionOptions, provision } from './provision.ts'
import { type ReclaimOptions, reclaim, wipedVolumes } from './reclaim.ts'
import { volumeMetrics } from './volume-metrics.ts'
import { wiperTemplates } from './wiper-template.ts'

/** A free volume wakes so many claims that it fits; others are looked at again when the period is over. */
const mostWoken = 16

/** What both loops work with. */
interface BinderOptions extends ProvisionOptions, ReclaimOptions {
  /** Whether volumes are made for claims at all. */
  readonly provisions: boolean
}

/**
 * Binds claims and volumes to each other (T-14), has volumes made for claims, and does with volumes that were released what their
 * policy says.
 *
 *   reads    PersistentVolumeClaim, PersistentVolume, StorageClass, Pod, Node
 *   writes   PersistentVolumeClaim: spec, annotations, status; PersistentVolume; Pod (that wipes a volume); Event
 *   wakes    when a claim or a volume changes, when a class appears, and those that are not bound once a period
 *   settles  when each claim has a volume or none is there for it, and no volume has a claim that is gone
 */
export async function volumeBinderController({
  name,
  platform,
  configuration,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const { PVClaimBinderSyncPeriod, VolumeConfiguration } =
    configuration.PersistentVolumeBinderController
  const { PersistentVolumeRecyclerConfiguration: recycler } = VolumeConfiguration
  const { templates, problems } = await wiperTemplates(recycler)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const names = bindingNames(platform)
  const counts = volumeMetrics(metrics, names)
  const options: BinderOptions = {
    ...{ names, counts },
    classGroup: `storage.${platform.api}`,
    hostFolders: VolumeConfiguration.EnableHostPathProvisioning,
    provisions: VolumeConfiguration.EnableDynamicProvisioning,
    recycler,
    wipers: templates,
  }
  const periodMs = parseDuration(PVClaimBinderSyncPeriod) ?? 15_000
  const component = 'persistentvolume-controller'
  const indexes = indexesOf(names)
  return [
    {
      ...{ name, component, concurrency: 1 },
      watches: [
        watching(persistentVolumeClaims, (claim) => [objectKey(claim)], {
          indexes: indexes.claims,
        }),
        watching(persistentVolumes, (volume, lookup) => claimsFor(volume, names, lookup), {
          indexes: indexes.volumes,
        }),
        watching(storageClasses, (one, lookup) => claimsOfClass(one, names, lookup)),
        watching(pods, () => [], { indexes: claimIndex }),
      ],
      sources: [
        every(periodMs, ({ cached }) =>
          cached(persistentVolumeClaims).list().filter(isUnsettled).map(objectKey),
        ),
      ],
      async reconcile(key, context) {
        counts.seenBy(context)
        const claim = context.cached(persistentVolumeClaims).get(key)
        if (claim === undefined) return done
        return settled(() => keepClaim(claim, options, context))
      },
    },
    {
      ...{ name: `${name}/volumes`, component, concurrency: 1 },
      watches: [
        watching(persistentVolumes, (volume) => [objectKey(volume)], { indexes: indexes.volumes }),
        watching(
          persistentVolumeClaims,
          ({ metadata, spec }, { cached }) => [
            ...(spec?.volumeName ? [{ name: spec.volumeName }] : []),
            ...cached(persistentVolumes)
              .index('claim', `${metadata.namespace}/${metadata.name}`)
              .map(objectKey),
          ],
          { indexes: indexes.claims },
        ),
        watching(pods, wipedVolumes, { indexes: claimIndex }),
      ],
      sources: [
        every(periodMs, ({ cached }) =>
          cached(persistentVolumes)
            .list()
            .filter(({ status }) => status?.phase === 'Released' || status?.phase === 'Failed')
            .map(objectKey),
        ),
      ],
      async reconcile(key, context) {
        counts.seenBy(context)
        const volume = context.cached(persistentVolumes).get(key)
        if (volume === undefined) return done
        return settled(() => keepVolume(volume, options, context))
      },
    },
  ]
}

/** Runs work that other writers may get in the way of. */
async function settled(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (isStatus(error, 'NotFound')) return done
    throw error
  }
}

/** What claims and volumes are found by. */
function indexesOf(names: BindingNames) {
  return {
    claims: {
      unbound: (claim: Claim) =>
        (claim.spec?.volumeName ?? '') === '' ? [classOf(claim, names)] : [],
    },
    volumes: {
      claim: (volume: Volume) => [claimKeyOf(volume)].flatMap((key) => key ?? []),
      free: (volume: Volume) =>
        volume.spec?.claimRef === undefined ? [classOf(volume, names)] : [],
    },
  }
}

function isUnsettled({ status }: Claim): boolean {
  return status?.phase !== 'Bound'
}

/** The claims that a volume is a matter of: its own, that which names it, and, if it is free, some of those that it fits. */
function claimsFor(volume: Volume, names: BindingNames, { cached }: Lookup) {
  const own = claimKeyOf(volume)
  if (own !== undefined) return [parseKey(own)]
  const claims: CacheReader<never> = cached(persistentVolumeClaims) as never
  const fitting: Claim[] = []
  for (const claim of claims.index('unbound', classOf(volume, names)) as readonly Claim[]) {
    if (fittingVolumes(claim, { names, delayed: false })(volume)) fitting.push(claim)
    if (fitting.length === mostWoken) break
  }
  return fitting.map(objectKey)
}

/** The claims that wait for a class: those that name it, and those without one where it is the usual one. */
function claimsOfClass(
  { metadata }: { readonly metadata: StorageClass['metadata'] },
  names: BindingNames,
  { cached }: Lookup,
) {
  const usual = names.defaultClass.some((key) => annotationOf({ metadata }, key) === 'true')
  const claims = cached(persistentVolumeClaims)
  return [metadata.name ?? '', ...(usual ? [''] : [])].flatMap((one) =>
    claims.index('unbound', one).map(objectKey),
  )
}

async function keepClaim(
  claim: Claim,
  options: BinderOptions,
  context: KeyContext,
): Promise<Outcome> {
  const { names, provisions, counts } = options
  const { client, event, signal } = context
  const observed = observeClaim(claim, names, context)
  const plan = decideClaim(observed, names)
  const resource = client.resource(persistentVolumeClaims)
  switch (plan.do) {
    case 'migrate': {
      const metadata = tellingDriver(claim.metadata, plan.driver, names)
      await resource.update({ ...claim, metadata }, {}, signal)
      return done
    }
    case 'assign': {
      const spec = { ...claim.spec, storageClassName: plan.className }
      try {
        await resource.update({ ...claim, spec }, {}, signal)
        counts.classAssigned(true)
      } catch (error) {
        counts.classAssigned(false)
        throw error
      }
      return done
    }
    case 'bind':
      await bind(plan.volume, claim, names, context)
      return done
    case 'lose': {
      if (claim.status?.phase !== 'Lost')
        event(await keepUnbound(claim, 'Lost', context), plan.event)
      return done
    }
    case 'provision':
      if (provisions) await provision(claim, observed.storageClass, options, context)
      return done
    case 'refuse':
      event(claim, plan.event)
      return failed(new Error(plan.why))
    case 'wait':
      if (plan.event !== undefined) event(claim, plan.event)
      await keepUnbound(claim, 'Pending', context)
      return done
  }
}

function observeClaim(claim: Claim, names: BindingNames, { cached }: KeyContext): ObservedClaim {
  const { namespace, name } = claim.metadata
  const key = `${namespace}/${name}`
  const volumes = cached(persistentVolumes)
  const className = classOf(claim, names)
  const { volumeName = '' } = claim.spec ?? {}
  const waiting = cached(pods)
    .index('claims', key)
    .filter(
      ({ spec, status }) =>
        (spec?.nodeName ?? '') === '' &&
        status?.phase !== 'Succeeded' &&
        status?.phase !== 'Failed',
    )
  return {
    claim,
    named: volumeName === '' ? undefined : volumes.get({ name: volumeName }),
    candidates:
      volumeName === ''
        ? [...volumes.index('claim', key), ...volumes.index('free', className)]
        : [],
    storageClass: className === '' ? undefined : cached(storageClasses).get({ name: className }),
    defaultClass: defaultClassOf(cached(storageClasses).list(), names),
    waitingPods: waiting.map(({ metadata }) => metadata.name).sort(),
  }
}

async function keepVolume(
  volume: Volume,
  options: BinderOptions,
  context: KeyContext,
): Promise<Outcome> {
  const { names } = options
  const { client, event, signal } = context
  const plan = decideVolume(volume, await claimOf(volume, context), names)
  switch (plan.do) {
    case 'migrate': {
      const metadata = tellingDriver(volume.metadata, plan.driver, names)
      await client.resource(persistentVolumes).update({ ...volume, metadata }, {}, signal)
      return done
    }
    case 'phase':
      await keepPhase(volume, plan.phase, context)
      return done
    case 'mismatch': {
      const { claim } = plan
      const to = JSON.stringify(claim.metadata.name)
      const from = JSON.stringify(volume.metadata.name)
      const facts = { type: 'Warning', reason: 'VolumeMismatch' } as const
      const why = 'due to incompatible volumeMode.'
      const begin = 'Cannot bind PersistentVolume'
      event(volume, {
        ...facts,
        message: `${begin} to requested PersistentVolumeClaim ${to} ${why}`,
      })
      event(claim, {
        ...facts,
        message: `${begin} ${from} to requested PersistentVolumeClaim ${why}`,
      })
      return done
    }
    case 'release': {
      const isReleased = volume.status?.phase === 'Released' || volume.status?.phase === 'Failed'
      const released = isReleased ? volume : await keepPhase(volume, 'Released', context)
      await reclaim(released, options, context)
      return done
    }
    case 'unbind':
      await unbind(volume, names, context)
      return done
    case 'wait':
      return done
  }
}

/** The very claim that a volume names, which the server is asked about unless the cache shows it; undefined if it is gone. */
async function claimOf(
  { spec, status }: Volume,
  { cached, client, signal }: KeyContext,
): Promise<Claim | undefined> {
  const { namespace = '', name = '', uid = '' } = spec?.claimRef ?? {}
  if (uid === '') return undefined
  const seen = cached(persistentVolumeClaims).get({ namespace, name })
  if (seen?.metadata.uid === uid) return seen
  const wasReleased = status?.phase === 'Released' || status?.phase === 'Failed'
  if (seen === undefined && wasReleased) return undefined
  const found = await client.resource(persistentVolumeClaims).in(namespace).find(name, signal)
  return found?.metadata.uid === uid ? found : undefined
}
