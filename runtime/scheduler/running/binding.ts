/** What makes a decision so: volumes are bound, then the pod. */
import { persistentVolumes } from '../../../generated/apis/core/v1/persistent-volume.ts'
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Client } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import { onAbort } from '../../kernel/async/abort-signal.ts'
import { type Clock, pause } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { isBound } from '../facts/claims.ts'
import type { PodInfo } from '../facts/pod-class.ts'
import type { VolumePlan } from '../filters/volume-binding.ts'
import type { ClusterState } from './cluster-state.ts'

/** What a pod is bound with. */
export interface BindOptions {
  readonly client: Client
  readonly state: ClusterState
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Milliseconds that volumes may take. */
const volumesMs = 600_000

/** A pod that is to be on a node, and what becomes of its claims. */
export interface Placement {
  readonly info: PodInfo
  readonly node: string
  readonly plan: VolumePlan | undefined
}

/** Volumes and claims are taken to be as they are to become, so that no other pod gets them. The returned function takes that back. */
export function assumeVolumes({ node, plan }: Placement, state: ClusterState): () => void {
  const { boundByController, selectedNode } = state.cluster.keys
  const bindings = plan?.bindings ?? []
  const provisions = plan?.provisions ?? []
  for (const { volume, claim } of bindings) {
    const annotations = { ...volume.metadata.annotations, [boundByController]: 'yes' }
    const claimRef = referenceTo(claim)
    state.volumes.assume({
      ...volume,
      metadata: { ...volume.metadata, annotations },
      spec: { ...volume.spec, claimRef },
    })
  }
  for (const claim of provisions) {
    const annotations = { ...claim.metadata.annotations, [selectedNode]: node }
    state.claims.assume({ ...claim, metadata: { ...claim.metadata, annotations } })
  }
  return () => {
    for (const { volume } of bindings) state.volumes.forget(volume)
    for (const claim of provisions) state.claims.forget(claim)
  }
}

/**
 * Binds the volumes of a pod, then the pod. Where it is not known whether a request that failed was carried out, the pod says it: until
 * then its place is kept, or another one would get it. @throws what keeps it from its node, in the words that users are told.
 */
export async function bindOnce(placement: Placement, options: BindOptions): Promise<void> {
  const { bindings, provisions } = placement.plan ?? { bindings: [], provisions: [] }
  try {
    if (bindings.length + provisions.length > 0) {
      await bindVolumes(placement, { bindings, provisions }, options)
    }
  } catch (error) {
    throw problem('PreBind plugin "VolumeBinding"', error)
  }
  try {
    await bindPod(placement, options)
  } catch (error) {
    const isRefused = error instanceof StatusError && error.code < 500
    if (isRefused || !(await isOnNode(placement, options))) {
      throw problem('Bind plugin "DefaultBinder"', error)
    }
  }
}

function problem(where: string, cause: unknown): Error {
  return new Error(`running ${where}: ${errorText(cause)}`, { cause })
}

/** How often a pod is looked at that may have been bound, and the milliseconds between. */
const looks = { times: 30, pauseMs: 1000 }

async function isOnNode({ info, node }: Placement, options: BindOptions): Promise<boolean> {
  const { client, clock, signal } = options
  const { namespace, name, uid } = info.pod.metadata
  for (let time = 0; time < looks.times && !signal.aborted; time++) {
    try {
      const pod = await client.resource(pods).in(namespace).get(name, signal)
      return pod.metadata.uid === uid && pod.spec?.nodeName === node
    } catch (error) {
      if (isStatus(error, 'NotFound')) return false
      await pause(clock, looks.pauseMs, signal)
    }
  }
  return false
}

async function bindPod({ info, node }: Placement, options: BindOptions): Promise<void> {
  const { namespace, name, uid } = info.pod.metadata
  const body = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { namespace, name, uid },
    target: { kind: 'Node', name: node },
  }
  const resource = options.client.resource(pods).in(namespace)
  await resource.createSubresource(name, 'binding', body, options.signal)
}

async function bindVolumes(
  { node }: Placement,
  { bindings, provisions }: VolumePlan,
  options: BindOptions,
): Promise<void> {
  const { client, state, signal } = options
  const { keys } = state.cluster
  const { boundByController, selectedNode } = keys
  for (const { volume, claim } of bindings) {
    const { resourceVersion } = volume.metadata
    const isOwn = volume.spec?.claimRef?.name === claim.metadata.name
    const annotations = isOwn ? undefined : { [boundByController]: 'yes' }
    const metadata = { resourceVersion, ...(annotations && { annotations }) }
    const patch = { metadata, spec: { claimRef: referenceTo(claim) } }
    const resource = client.resource(persistentVolumes)
    await resource.mergePatch(volume.metadata.name, patch as never, {}, signal)
  }
  for (const claim of provisions) {
    const { resourceVersion } = claim.metadata
    const patch = { metadata: { resourceVersion, annotations: { [selectedNode]: node } } }
    const resource = client.resource(persistentVolumeClaims)
    await resource.mergePatch(objectKey(claim), patch as never, {}, signal)
  }
  const waiting = [...bindings.map(({ claim }) => claim), ...provisions].map(
    ({ metadata }) => metadata,
  )
  await until(options, () =>
    waiting.every(({ namespace, name }) => {
      const claim = state.claims.get(name, namespace)
      if (claim === undefined) throw new Error(`persistentvolumeclaim "${name}" is gone`)
      return isBound(claim, keys)
    }),
  )
}

function referenceTo({ metadata }: Stored<PersistentVolumeClaim>) {
  const { namespace, name, uid, resourceVersion } = metadata
  const kind = 'PersistentVolumeClaim'
  return { kind, namespace, name, uid, apiVersion: 'v1', resourceVersion } as const
}

/** Resolves once claims are as they are waited for. @throws after ten minutes. */
function until({ state, clock, signal }: BindOptions, isSo: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave: (() => void)[] = []
    const end = (settle: () => void): void => {
      for (const one of leave) one()
      settle()
    }
    const look = (): void => {
      try {
        if (isSo()) end(resolve)
      } catch (error) {
        end(() => reject(error as Error))
      }
    }
    const late = () => end(() => reject(new Error('binding volumes: timed out')))
    leave.push(state.onStorage(look), clock.after(volumesMs, late))
    leave.push(onAbort(signal, () => end(() => reject(new Error('binding volumes: stopped')))))
    look()
  })
}
