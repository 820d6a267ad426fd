import { type Node, nodes } from '../../../../generated/apis/core/v1/node.ts'
import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { csiDrivers } from '../../../../generated/apis/storage/v1/csi-driver.ts'
import { volumeAttachments } from '../../../../generated/apis/storage/v1/volume-attachment.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { hasEnded, podClaimNames } from '../../../pods/pods.ts'
import type { KeyContext } from '../../../reconcile/reconcile.ts'
import {
  type Attachment,
  attachmentName,
  driverVolumeOf,
  nameOnNodes,
  type Volume,
  volumeOfName,
} from './attached-volumes.ts'
import type { ObservedNode, UnwantedVolume, WantedVolume } from './decide-attachments.ts'

/** What no object says. */
export interface Memory {
  /** Since when an attachment is no longer needed, by its uid. */
  readonly since: Map<string, { readonly node: string; readonly at: number }>
  /** What a node said last that it uses. */
  readonly inUse: Map<string, readonly string[]>
  /** What pods of a node were told. */
  readonly told: Map<string, ReadonlySet<string>>
}

/** What is needed to see the volumes of a node. */
export interface ObserveOptions {
  readonly domain: string
  readonly memory: Memory
}

/** What is known of the volumes of a node; undefined for a node that is gone and has none. */
export function observeNode(
  name: string,
  { domain, memory }: ObserveOptions,
  context: KeyContext,
): ObservedNode | undefined {
  const { cached, clock } = context
  const node = cached(nodes).get({ name })
  const attachments = cached(volumeAttachments).index('node', name)
  const forget = () => {
    for (const [uid, one] of memory.since) if (one.node === name) memory.since.delete(uid)
  }
  if (node === undefined && attachments.length === 0) {
    forget()
    memory.inUse.delete(name)
    memory.told.delete(name)
    return undefined
  }
  if (node !== undefined) memory.inUse.set(name, node.status?.volumesInUse ?? [])
  const reported = node?.status?.volumesAttached ?? []
  const wanted = node === undefined ? [] : wantedVolumes(node, domain, context)
  const own = new Set(wanted.map(({ attachment }) => attachment?.metadata.uid))
  const before = new Map(memory.since)
  forget()
  const unwanted = attachments
    .filter(({ metadata }) => !own.has(metadata.uid))
    .map((attachment): UnwantedVolume => {
      const { uid } = attachment.metadata
      const at = before.get(uid)?.at ?? clock.monotonic()
      memory.since.set(uid, { node: name, at })
      const named = nameOf(attachment, { domain, reported }, context)
      return { attachment, name: named, sinceMs: clock.monotonic() - at }
    })
  return {
    ...{ wanted, unwanted, reported, inUse: memory.inUse.get(name) },
    isReady:
      node?.status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      ) === true,
    isOutOfService:
      node?.spec?.taints?.some(({ key }) => key === `node.${domain}/out-of-service`) === true,
  }
}

/** What the pods of a node need, where attaching is left to this controller. */
function wantedVolumes(
  node: Stored<Node>,
  domain: string,
  context: KeyContext,
): readonly WantedVolume[] {
  const { annotations = {}, name } = node.metadata
  if (!Object.hasOwn(annotations, `volumes.${domain}/controller-managed-attach-detach`)) return []
  const keepsEnded = annotations[`volumes.${domain}/keep-terminated-pod-volumes`] === 'true'
  const { cached } = context
  const found = new Map<string, { readonly volume: Volume; readonly pods: Stored<Pod>[] }>()
  for (const pod of cached(pods).index('node', name)) {
    if (hasEnded(pod) && !keepsEnded) continue
    for (const volume of volumesOf(pod, context)) {
      const entry = found.get(volume.metadata.name) ?? { volume, pods: [] }
      entry.pods.push(pod)
      found.set(volume.metadata.name, entry)
    }
  }
  return [...found.values()].flatMap(({ volume, pods: users }) => {
    const driver = driverVolumeOf(volume)
    if (driver === undefined) return []
    if (cached(csiDrivers).get({ name: driver.driver })?.spec.attachRequired === false) return []
    const attachment = cached(volumeAttachments).get({ name: attachmentName(driver, name) })
    const elsewhere = cached(volumeAttachments)
      .index('volume', volume.metadata.name)
      .map(({ spec }) => spec.nodeName)
      .filter((one) => one !== name)
    return [{ volume, pods: users, attachment, elsewhere, name: nameOnNodes(driver, domain) }]
  })
}

/** The volumes that a pod has through claims that are bound. */
function volumesOf(pod: Stored<Pod>, { cached }: KeyContext): readonly Volume[] {
  const { namespace } = pod.metadata
  return podClaimNames(pod.spec ?? {}, pod.metadata.name).flatMap((name) => {
    const claim = cached(persistentVolumeClaims).get({ namespace, name })
    const { volumeName = '' } = claim?.spec ?? {}
    if (claim?.status?.phase !== 'Bound' || volumeName === '') return []
    const volume = cached(persistentVolumes).get({ name: volumeName })
    return volume?.spec?.claimRef?.uid === claim.metadata.uid ? [volume] : []
  })
}

/** The pods that use a volume and have a node. */
export function usersOf({ spec }: Volume, { cached }: KeyContext): readonly Stored<Pod>[] {
  const { namespace = '', name = '' } = spec?.claimRef ?? {}
  return cached(pods)
    .index('claims', `${namespace}/${name}`)
    .filter((pod) => (pod.spec?.nodeName ?? '') !== '')
}

/** What a node calls the volume of an attachment, also if the volume is gone. */
function nameOf(
  { metadata, spec }: Attachment,
  {
    domain,
    reported,
  }: { readonly domain: string; readonly reported: readonly { readonly name: string }[] },
  { cached }: KeyContext,
): string | undefined {
  const volume = cached(persistentVolumes).get({ name: spec.source.persistentVolumeName ?? '' })
  const driver = volume && driverVolumeOf(volume)
  if (driver !== undefined) return nameOnNodes(driver, domain)
  return reported
    .map(({ name }) => name)
    .find((name) => {
      const one = volumeOfName(name, domain)
      return one !== undefined && attachmentName(one, spec.nodeName) === metadata.name
    })
}
