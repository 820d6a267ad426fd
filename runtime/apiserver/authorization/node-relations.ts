/** What nodes have to do with, by the stored pods, volumes and attachments. */
import type { PersistentVolume } from '../../../generated/apis/core/v1/persistent-volume.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { VolumeAttachment } from '../../../generated/apis/storage/v1/volume-attachment.ts'
import { NodeGraph, type NodeObject, objectId } from '../../auth/auth.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { podClaimNames, podConfigMapNames, podSecretNames } from '../../pods/pods.ts'
import { followObjects, type ObjectFollower } from '../../registry/registry.ts'
import type { StoreCache } from '../../watch/watch.ts'

/** The relations of all nodes, kept as the store changes. */
export function nodeRelations(scheme: Scheme, store: StoreCache): NodeGraph {
  const { api, domain } = scheme.platform
  const graph = new NodeGraph()
  const follow = (path: string, follower: ObjectFollower) => {
    const kind = Object.hasOwn(scheme.routes, path) ? scheme.routes[path] : undefined
    if (kind !== undefined) followObjects(store, kind, follower)
  }
  follow('api/v1/pods', podFollower(graph, `${domain}/config.mirror`))
  follow('api/v1/persistentvolumes', {
    set: (object) => setVolume(graph, object as unknown as PersistentVolume),
    remove: ({ metadata }) => graph.removeVolume(objectId('volume', '', metadata.name)),
  })
  follow(`apis/storage.${api}/v1/volumeattachments`, {
    set(object) {
      const { metadata, spec } = object as unknown as VolumeAttachment
      graph.setAttachment(objectId('attachment', '', metadata.name ?? ''), spec?.nodeName ?? '')
    },
    remove: ({ metadata }) => graph.removeAttachment(objectId('attachment', '', metadata.name)),
  })
  return graph
}

function podFollower(graph: NodeGraph, mirrorAnnotation: string): ObjectFollower {
  const idOf = ({ metadata: { namespace = '', name } }: Stored<ApiObject>) => `${namespace}/${name}`
  return {
    set(object, old) {
      const pod = object as unknown as Pod
      const node = pod.spec?.nodeName ?? ''
      if (node === '' || (old !== undefined && isSameUse(pod, old as unknown as Pod))) return
      const isMirror = Object.hasOwn(object.metadata.annotations ?? {}, mirrorAnnotation)
      graph.setPod(idOf(object), { node, objects: isMirror ? [] : objectsOf(pod) })
    },
    remove: (object) => graph.removePod(idOf(object)),
  }
}

/** What a pod on a node names does not change, but for the claims that are made for it. */
function isSameUse(pod: Pod, old: Pod): boolean {
  return (
    pod.spec?.nodeName === old.spec?.nodeName &&
    pod.metadata?.uid === old.metadata?.uid &&
    deepEqual(pod.status?.resourceClaimStatuses ?? [], old.status?.resourceClaimStatuses ?? [])
  )
}

function objectsOf({ metadata, spec, status }: Pod): readonly string[] {
  const { namespace = '', name = '' } = metadata ?? {}
  const ids = (kind: NodeObject, names: readonly string[]) =>
    names.map((one) => objectId(kind, namespace, one))
  const { serviceAccountName, resourceClaims = [] } = spec ?? {}
  const made = new Map(
    (status?.resourceClaimStatuses ?? []).map((claim) => [claim.name, claim.resourceClaimName]),
  )
  const claims = resourceClaims.flatMap((claim) => {
    return claim.source?.resourceClaimName ?? made.get(claim.name) ?? []
  })
  return [
    ...ids('account', serviceAccountName ? [serviceAccountName] : []),
    ...ids('secret', podSecretNames(spec ?? {})),
    ...ids('configmap', podConfigMapNames(spec ?? {})),
    ...ids('claim', podClaimNames(spec ?? {}, name)),
    ...ids('resource-claim', claims),
  ]
}

function setVolume(graph: NodeGraph, { metadata, spec }: PersistentVolume): void {
  const id = objectId('volume', '', metadata.name ?? '')
  const { claimRef } = spec ?? {}
  if (claimRef === undefined) {
    graph.removeVolume(id)
    return
  }
  const { namespace = '', name = '' } = claimRef
  graph.setVolume(id, {
    claim: objectId('claim', namespace, name),
    secrets: volumeSecrets(spec ?? {}, namespace),
  })
}

type SecretRef = { readonly namespace?: string; readonly name?: string } | undefined

/** The secrets that nodes need to mount a volume; those that only its driver needs are left out. */
function volumeSecrets(spec: NonNullable<PersistentVolume['spec']>, claimNamespace: string) {
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = spec
  const azure = { namespace: azureFile?.secretNamespace ?? '', name: azureFile?.secretName ?? '' }
  const refs: readonly SecretRef[] = [
    azure,
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi].map((source) => source?.secretRef),
    storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ]
  return refs.flatMap((ref) =>
    ref?.name ? objectId('secret', ref.namespace || claimNamespace, ref.name) : [],
  )
}
