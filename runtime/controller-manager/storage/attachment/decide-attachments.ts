import type { AttachedVolume } from '../../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { type Attachment, isShared, type Volume } from './attached-volumes.ts'

/** A volume that pods of a node need there. */
export interface WantedVolume {
  readonly volume: Volume
  /** What nodes call it. */
  readonly name: string
  readonly pods: readonly Stored<Pod>[]
  /** Its attachment to the node, if there is one. */
  readonly attachment: Attachment | undefined
  /** Nodes that have it, or give it away just now. */
  readonly elsewhere: readonly string[]
}

/** An attachment to a node that nothing there needs. */
export interface UnwantedVolume {
  readonly attachment: Attachment
  /** What the node calls the volume; undefined if that is not known. */
  readonly name: string | undefined
  /** Milliseconds since it is no longer needed. */
  readonly sinceMs: number
}

/** What is known of the volumes of a node. */
export interface ObservedNode {
  readonly wanted: readonly WantedVolume[]
  readonly unwanted: readonly UnwantedVolume[]
  /** What the node says it has mounted; undefined if that is not known. */
  readonly inUse: readonly string[] | undefined
  readonly reported: readonly AttachedVolume[]
  readonly isReady: boolean
  /** It is down for good, as a taint says: nothing is mounted there any more. */
  readonly isOutOfService: boolean
}

/** Why a node is not asked any more: it is down for good, as a taint says, or has not answered for too long. */
export type ForcedReason = 'out-of-service' | 'timeout'

/** What is to be done about the volumes of a node. */
export interface AttachmentPlan {
  /** What the status of the node is to say that it has. */
  readonly report: readonly AttachedVolume[]
  /** Attached now: their pods are told once the node is. */
  readonly attached: readonly WantedVolume[]
  readonly attach: readonly WantedVolume[]
  /** Wanted by pods here while another node has it. */
  readonly blocked: readonly WantedVolume[]
  /** Where the driver could not attach it. */
  readonly failed: readonly WantedVolume[]
  /** Those that go, and why the node is not asked any more, if it is not. */
  readonly detach: readonly (UnwantedVolume & { readonly forced: ForcedReason | undefined })[]
  /** Milliseconds until something else is due. */
  readonly dueMs: number | undefined
}

/** So long a node that does not answer is believed to use what it said that it uses. */
const longestUnmountMs = 360_000

/** What is to be done about the volumes of a node. */
export function decideAttachments(observed: ObservedNode): AttachmentPlan {
  const { wanted, unwanted, reported } = observed
  const isAttached = ({ attachment }: WantedVolume): boolean =>
    attachment?.status?.attached === true && attachment.metadata.deletionTimestamp === undefined
  const has = new Set(reported.map(({ name }) => name))
  const leaving = unwanted.filter(
    ({ attachment }) => attachment.metadata.deletionTimestamp === undefined,
  )
  const detach = leaving.flatMap((one) => {
    const forced = forcedReason(one, observed)
    return forced !== undefined || !isMounted(one, observed) ? [{ ...one, forced }] : []
  })
  const staying = leaving.filter(
    (one) => !detach.some(({ attachment }) => attachment === one.attachment),
  )
  const missing = wanted.filter(({ attachment }) => attachment === undefined)
  const isBlocked = ({ volume, elsewhere }: WantedVolume) =>
    elsewhere.length > 0 && !isShared(volume)
  const attached = wanted.filter(isAttached)
  const kept = new Set([
    ...attached.map(({ name }) => name),
    ...staying.flatMap(({ name }) => (name !== undefined && has.has(name) ? [name] : [])),
  ])
  const due = observed.isReady
    ? []
    : staying.map(({ sinceMs }) => Math.max(0, longestUnmountMs - sinceMs) + 1)
  return {
    report: [
      ...reported.filter(({ name }) => kept.has(name)),
      ...[...kept].filter((name) => !has.has(name)).map((name) => ({ name, devicePath: '' })),
    ],
    attached: attached.filter(({ name }) => !has.has(name)),
    attach: missing.filter((one) => !isBlocked(one)),
    blocked: missing.filter(isBlocked),
    failed: wanted.filter(
      ({ attachment }) =>
        attachment?.status?.attached !== true && attachment?.status?.attachError !== undefined,
    ),
    detach,
    dueMs: due.length === 0 ? undefined : Math.min(...due),
  }
}

function isMounted({ name }: UnwantedVolume, { inUse }: ObservedNode): boolean {
  return inUse === undefined || (name !== undefined && inUse.includes(name))
}

function forcedReason(
  { sinceMs }: UnwantedVolume,
  { isReady, isOutOfService }: ObservedNode,
): ForcedReason | undefined {
  if (isOutOfService) return 'out-of-service'
  return !isReady && sinceMs > longestUnmountMs ? 'timeout' : undefined
}

/** Why a volume cannot be attached here while another node has it, as a pod is told: it sees names of its own namespace only. */
export function blockedMessage(
  { volume, elsewhere }: WantedVolume,
  pod: Stored<Pod>,
  users: readonly Stored<Pod>[],
): string {
  const others = users.filter(({ spec }) => elsewhere.includes(spec?.nodeName ?? ''))
  const local = others.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace)
  const foreign = others.length - local.length
  const names = local.map(({ metadata }) => metadata.name).join(', ')
  const theirs = `${foreign} pod(s) in different namespaces`
  const why =
    others.length === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : local.length === 0
        ? `Volume is already used by ${theirs}`
        : `Volume is already used by pod(s) ${names}${foreign > 0 ? ` and ${theirs}` : ''}`
  return `Multi-Attach error for volume ${JSON.stringify(volume.metadata.name)} ${why}`
}
