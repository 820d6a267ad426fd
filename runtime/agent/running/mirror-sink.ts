/** Tells a server of pods of manifests by mirrors: pods there that look as they do, and that nothing but this node changes. */
import { type Node, nodes } from '../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Client } from '../../client/client.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { PodSink } from './pod-sink.ts'

/** What mirrors are made with. */
export interface MirrorOptions {
  readonly client: Client
  readonly nodeName: string
  /** The word before the keys of annotations. */
  readonly domain: string
}

/** True for a pod that is the mirror of one of a manifest. */
export function isMirror({ metadata }: Pick<Pod, 'metadata'>, domain: string): boolean {
  return metadata.annotations?.[`${domain}/config.mirror`] !== undefined
}

/** True for a pod of a manifest. */
export function isStatic({ metadata }: Pick<Pod, 'metadata'>, domain: string): boolean {
  const source = metadata.annotations?.[`${domain}/config.source`]
  return source !== undefined && source !== 'api' && !isMirror({ metadata }, domain)
}

/** Tells of pods of manifests by their mirrors, and of others as `sink` does. */
export function mirrorSink(sink: PodSink, { client, nodeName, domain }: MirrorOptions): PodSink {
  const all = client.resource(pods)
  let node: Stored<Node> | undefined

  async function currentMirror(pod: Stored<Pod>): Promise<Stored<Pod>> {
    const { namespace, name } = pod.metadata
    const found = await all.in(namespace).find(name)
    const hash = pod.metadata.annotations?.[`${domain}/config.hash`] ?? ''
    const goes = found?.metadata.deletionTimestamp !== undefined
    if (found?.metadata.annotations?.[`${domain}/config.mirror`] === hash && !goes) return found
    if (found !== undefined) await removeMirror(found)
    node ??= await client.resource(nodes).get(nodeName)
    const { labels, annotations } = pod.metadata
    const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node.metadata.uid }
    return all.in(namespace).create({
      metadata: {
        ...{ name, namespace, ...(labels && { labels }) },
        annotations: { ...annotations, [`${domain}/config.mirror`]: hash },
        ownerReferences: [{ ...owner, controller: true }],
      },
      spec: pod.spec,
    } as Parameters<ReturnType<typeof all.in>['create']>[0])
  }

  async function removeMirror(mirror: Stored<Pod>): Promise<void> {
    try {
      await all.delete(mirror, { gracePeriodSeconds: 0 })
    } catch (error) {
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
    }
  }

  return {
    ...sink,
    async tellStatus(pod, status) {
      if (!isStatic(pod, domain)) return sink.tellStatus(pod, status)
      const mirror = await currentMirror(pod)
      const told = await sink.tellStatus(mirror, { ...mirror.status, ...status })
      return told && { ...pod, status }
    },
    async forget(pod) {
      if (!isStatic(pod, domain)) return sink.forget(pod)
      const { namespace, name } = pod.metadata
      const found = await all.in(namespace).find(name)
      // Another pod of that name may have its mirror there by now.
      const mirrored = found?.metadata.annotations?.[`${domain}/config.mirror`]
      const hash = pod.metadata.annotations?.[`${domain}/config.hash`]
      if (found !== undefined && mirrored !== undefined && mirrored === hash)
        await removeMirror(found)
    },
  }
}
