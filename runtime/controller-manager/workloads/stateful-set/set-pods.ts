/** What the pods of a stateful set are, and the claims that they use. */
import type { PersistentVolumeClaim } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Pod, PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { NamedDraft } from '../../../client/client.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { ownedBy } from '../../../reconcile/reconcile.ts'
import { podFromTemplate } from '../../pods/pod-from-template.ts'
import { isAvailable, isReady } from '../../pods/pod-state.ts'
import { claimNameOf, ordinalOf, parsePodName, podNameOf, type StoredSet } from './set-names.ts'

/** The label that names the revision of a pod. */
export const revisionLabel = 'controller-revision-hash'

/** How labels are called, and which there are. */
export interface IdentityOptions {
  /** The suffix of label keys. */
  readonly domain: string
  /** Pods carry their number as a label. */
  readonly indexLabel: boolean
}

/** The pod of a number, made from a template of a revision. */
export function podOfSet(
  set: StoredSet,
  ordinal: number,
  { template, revision }: { readonly template: PodTemplateSpec; readonly revision: string },
  options: IdentityOptions,
): NamedDraft<Pod> {
  const draft = podFromTemplate(template, ownedBy(set) as never)
  const name = podNameOf(set, ordinal)
  const labels = { ...draft.metadata.labels, [revisionLabel]: revision }
  const { namespace } = set.metadata
  const pod = withIdentity({ ...draft, metadata: { ...draft.metadata, name, labels } }, options)
  const spec = { ...pod.spec, hostname: name, subdomain: set.spec?.serviceName ?? '' }
  const whole = { ...pod, metadata: { ...pod.metadata, namespace }, spec } as NamedDraft<Pod>
  return withStorage(set, whole)
}

/** True for a pod whose name and label are those that the set gives. */
export function hasIdentity(
  set: StoredSet,
  pod: Stored<Pod>,
  { domain }: IdentityOptions,
): boolean {
  const { name, labels } = pod.metadata
  const found = parsePodName(name)
  return (
    found?.parent === set.metadata.name &&
    name === podNameOf(set, found.ordinal) &&
    labels?.[podNameLabel(domain)] === name
  )
}

/** A pod with the labels that say which one it is. */
export function withIdentity<T extends NamedDraft<Pod>>(
  pod: T,
  { domain, indexLabel }: IdentityOptions,
): T {
  const { name, labels } = pod.metadata
  const own = {
    [podNameLabel(domain)]: name,
    ...(indexLabel && { [`apps.${domain}/pod-index`]: String(ordinalOf(pod)) }),
  }
  return { ...pod, metadata: { ...pod.metadata, labels: { ...labels, ...own } } }
}

function podNameLabel(domain: string): string {
  return `statefulset.${domain}/pod-name`
}

/** True for a pod that uses the claims of the set's templates. */
export function hasStorage(set: StoredSet, pod: NamedDraft<Pod>): boolean {
  const volumes = new Map(pod.spec?.volumes?.map((volume) => [volume.name, volume]))
  return claimsOf(set, ordinalOf(pod)).every(
    ({ volume, draft }) =>
      volumes.get(volume)?.persistentVolumeClaim?.claimName === draft.metadata.name,
  )
}

/** A pod that uses the claims of the set's templates, in place of volumes of their names. */
export function withStorage<T extends NamedDraft<Pod>>(set: StoredSet, pod: T): T {
  const claims = claimsOf(set, ordinalOf(pod))
  const names = new Map(claims.map(({ volume, draft }) => [volume, draft.metadata.name]))
  const others = pod.spec?.volumes?.filter(({ name }) => !names.has(name)) ?? []
  const volumes = [...names].map(([name, claimName]) => ({
    name,
    persistentVolumeClaim: { claimName },
  }))
  if (volumes.length === 0) return pod
  return { ...pod, spec: { ...pod.spec, volumes: [...volumes, ...others] } }
}

/** A claim that a pod uses, and the volume by which it does. */
export interface SetClaim {
  readonly volume: string
  readonly draft: NamedDraft<PersistentVolumeClaim>
}

/** The claims of the pod of a number. */
export function claimsOf(set: StoredSet, ordinal: number): readonly SetClaim[] {
  const { volumeClaimTemplates = [], selector } = set.spec ?? {}
  return volumeClaimTemplates.map(({ metadata, spec }) => {
    const volume = metadata.name ?? ''
    const { creationTimestamp: _, ...given } = metadata
    const labels = { ...metadata.labels, ...selector?.matchLabels }
    const name = claimNameOf(set, volume, ordinal)
    const { namespace } = set.metadata
    const draft = { metadata: { ...given, name, namespace, labels }, ...(spec && { spec }) }
    return { volume, draft: draft as NamedDraft<PersistentVolumeClaim> }
  })
}

/** The revision that a pod was made of. */
export function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[revisionLabel] ?? ''
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isReady(pod)
}

/** True for a pod that serves and stays. */
export function isHealthy(pod: Pod): boolean {
  return isRunningAndReady(pod) && !isTerminating(pod)
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}

/** True for a pod that has been ready for as long as the set asks. */
export function isSetPodAvailable(set: StoredSet, pod: Pod, now: number): boolean {
  return isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
}
