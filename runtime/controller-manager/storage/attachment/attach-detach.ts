import { nodes } from '../../../../generated/apis/core/v1/node.ts'
import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { csiDrivers } from '../../../../generated/apis/storage/v1/csi-driver.ts'
import { volumeAttachments } from '../../../../generated/apis/storage/v1/volume-attachment.ts'
import { objectKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { nodeIndex } from '../../pods/pods-of-node.ts'
import { claimIndex } from '../claim-users.ts'
import { attachmentName, driverVolumeOf, type Volume } from './attached-volumes.ts'
import { type AttachmentMetrics, attachmentMetrics } from './attachment-metrics.ts'
import { type AttachmentPlan, blockedMessage, decideAttachments } from './decide-attachments.ts'
import { type Memory, observeNode, usersOf } from './observe-node.ts'

/**
 * Has the volumes of drivers attached to the nodes whose pods need them, by attachments that the drivers carry out, and taken away again.
 *
 *   reads    Node, Pod, PersistentVolumeClaim, PersistentVolume, VolumeAttachment, CSIDriver
 *   writes   VolumeAttachment: create, delete; Node: status.volumesAttached; Event
 *   wakes    when a node, one of its pods with claims, these claims or volumes change, and when an attachment of one of these volumes does
 *   settles  when each node has what its pods need, and says so
 */
export async function attachDetachController({
  name,
  platform,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const counts = attachmentMetrics(metrics, platform.domain)
  const memory: Memory = { since: new Map(), inUse: new Map(), told: new Map() }
  return [
    {
      ...{ name, component: 'attachdetach-controller', concurrency: 1 },
      watches: [
        watching(nodes, (node) => [objectKey(node)]),
        watching(pods, (pod) => (claimIndex.claims(pod).length > 0 ? nodeOf(pod) : []), {
          indexes: { ...claimIndex, ...nodeIndex },
        }),
        watching(persistentVolumeClaims, ({ metadata }, lookup) =>
          nodesOfClaim(`${metadata.namespace}/${metadata.name}`, lookup),
        ),
        watching(persistentVolumes, (volume, lookup) => nodesOfVolume(volume, lookup)),
        watching(
          volumeAttachments,
          ({ spec }, lookup) => {
            const { persistentVolumeName = '' } = spec.source
            const volume = lookup.cached(persistentVolumes).get({ name: persistentVolumeName })
            return [{ name: spec.nodeName }, ...(volume ? nodesOfVolume(volume, lookup) : [])]
          },
          {
            indexes: {
              node: ({ spec }) => [spec.nodeName],
              volume: ({ spec }) => [spec.source.persistentVolumeName ?? ''],
            },
          },
        ),
        watching(csiDrivers, () => []),
      ],
      async reconcile({ name: node }, context) {
        const observed = observeNode(node, { domain: platform.domain, memory }, context)
        const attachments = context.cached(volumeAttachments).index('node', node)
        const wanted = observed?.wanted.map(({ volume }) => volume) ?? []
        counts.seen(node, observed && { wanted, attachments })
        if (observed === undefined) return done
        const progress = { observed, memory, counts }
        try {
          return await carryOut(node, decideAttachments(observed), progress, context)
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          throw error
        }
      },
    },
  ]
}

function nodeOf({ spec }: Stored<Pod>) {
  return spec?.nodeName ? [{ name: spec.nodeName }] : []
}

function nodesOfClaim(key: string, { cached }: Lookup) {
  return cached(pods).index('claims', key).flatMap(nodeOf)
}

function nodesOfVolume({ spec }: Volume, lookup: Lookup) {
  const { namespace = '', name } = spec?.claimRef ?? {}
  return name === undefined ? [] : nodesOfClaim(`${namespace}/${name}`, lookup)
}

interface Progress {
  readonly observed: NonNullable<ReturnType<typeof observeNode>>
  readonly memory: Memory
  readonly counts: AttachmentMetrics
}

/** The status of the node says first that a volume goes: from then on it is mounted no more. */
async function carryOut(
  node: string,
  plan: AttachmentPlan,
  { observed, memory, counts }: Progress,
  context: KeyContext,
): Promise<Outcome> {
  const { client, event, signal } = context
  const inUse = await report(node, plan, observed.reported, context)
  let isRefused = false
  for (const { attachment, name, forced } of plan.detach) {
    if (forced === undefined && name !== undefined && inUse?.includes(name)) {
      isRefused = true
      continue
    }
    await client
      .resource(volumeAttachments)
      .delete(attachment, {}, signal)
      .catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
    if (forced !== undefined) counts.forced(forced)
  }
  for (const { pods: users, volume } of plan.attached) {
    const message = `AttachVolume.Attach succeeded for volume ${shown(volume)} `
    for (const pod of users) {
      event(pod, { type: 'Normal', reason: 'SuccessfulAttachVolume', message })
    }
  }
  for (const { volume } of plan.attach) await attach(node, volume, context)
  tellProblems(node, plan, memory, context)
  if (isRefused) return again(0, 'a volume that goes is in use')
  return plan.dueMs === undefined ? done : again(plan.dueMs)
}

/** Writes what a node has; gives what it uses, as it says then. */
async function report(
  node: string,
  plan: AttachmentPlan,
  reported: AttachmentPlan['report'],
  { cached, client, signal }: KeyContext,
): Promise<readonly string[] | undefined> {
  const stored = cached(nodes).get({ name: node })
  if (stored === undefined) return undefined
  if (deepEqual(plan.report, reported)) return stored.status?.volumesInUse
  const { resourceVersion } = stored.metadata
  const volumesAttached = plan.report.length === 0 ? null : plan.report
  const patch = { metadata: { resourceVersion }, status: { volumesAttached } }
  const written = await client
    .resource(nodes)
    .mergePatch(node, patch, { subresource: 'status' }, signal)
  return written.status?.volumesInUse
}

async function attach(
  nodeName: string,
  volume: Volume,
  { client, signal }: KeyContext,
): Promise<void> {
  const driver = driverVolumeOf(volume)
  if (driver === undefined) return
  const source = { persistentVolumeName: volume.metadata.name }
  try {
    await client.resource(volumeAttachments).create(
      {
        metadata: { name: attachmentName(driver, nodeName) },
        spec: { attacher: driver.driver, nodeName, source },
      },
      {},
      signal,
    )
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
  }
}

/** Tells pods why they have to wait, each thing once. */
function tellProblems(
  node: string,
  { blocked, failed }: AttachmentPlan,
  { told }: Memory,
  context: KeyContext,
): void {
  const before = told.get(node) ?? new Set()
  const now = new Set<string>()
  const tell = (pod: Stored<Pod>, message: string) => {
    const key = `${pod.metadata.uid} ${message}`
    now.add(key)
    if (before.has(key)) return
    context.event(pod, { type: 'Warning', reason: 'FailedAttachVolume', message })
  }
  for (const one of blocked) {
    const users = usersOf(one.volume, context)
    for (const pod of one.pods) tell(pod, blockedMessage(one, pod, users))
  }
  for (const { attachment, pods: users, volume } of failed) {
    const { message = '' } = attachment?.status?.attachError ?? {}
    for (const pod of users) {
      tell(pod, `AttachVolume.Attach failed for volume ${shown(volume)} : ${message}`)
    }
  }
  if (now.size === 0) told.delete(node)
  else told.set(node, now)
}

function shown({ metadata }: Volume): string {
  return JSON.stringify(metadata.name)
}
