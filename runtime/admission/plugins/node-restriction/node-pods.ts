import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { PersistentVolumeClaim } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import { podClaimNames, podConfigMapNames, podSecretNames } from '../../../pods/pods.ts'
import type { Attributes } from '../../chain/attributes.ts'
import { notCached } from '../../chain/errors.ts'
import { getObject, type PluginContext, servedKind } from '../../chain/plugin-context.ts'
import type { Pod, PodSpec } from '../pods/pod-spec.ts'
import type { NodeCheck } from './node-check.ts'

/** A node makes mirrors of pods that it runs by itself, and deletes, evicts and reports those that run on it. */
export const podProblem: NodeCheck = async (node, attributes, context) => {
  const { operation, subresource } = attributes
  switch (subresource) {
    case undefined:
      if (operation === 'CREATE') return mirrorProblem(node, attributes.object as Pod, context)
      if (operation === 'DELETE') {
        const why = `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`
        return foreignPodProblem(node, attributes, context, why)
      }
      return `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`
    case 'status':
      return operation === 'UPDATE'
        ? statusProblem(node, attributes)
        : `unexpected operation ${quoted(operation)}`
    case 'eviction': {
      if (operation !== 'CREATE') return `unexpected operation ${operation}`
      const why = `node ${node} can only evict pods with spec.nodeName set to itself`
      return foreignPodProblem(node, attributes, context, why)
    }
    default:
      return `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`
  }
}

/** @throws StatusError NotFound for a pod that is not there. */
async function foreignPodProblem(
  node: string,
  { name = '', namespace, object }: Attributes,
  context: PluginContext,
  why: string,
): Promise<string | undefined> {
  const podName = name || (object?.metadata.name ?? '')
  const pod = (await getObject(context, 'api/v1/pods', podName, namespace)) as Pod | undefined
  const kind = servedKind(context, 'api/v1/pods')
  if (pod === undefined) {
    if (kind === undefined) return undefined
    throw notCached(kind, podName)
  }
  return pod.spec?.nodeName === node ? undefined : why
}

async function mirrorProblem(
  node: string,
  pod: Pod,
  context: PluginContext,
): Promise<string | undefined> {
  const annotation = `${context.scheme.platform.domain}/config.mirror`
  const spec: Partial<PodSpec> = pod.spec ?? {}
  const who = `node ${quoted(node)}`
  if (!Object.hasOwn(pod.metadata?.annotations ?? {}, annotation)) {
    return `pod does not have ${quoted(annotation)} annotation, ${who} can only create mirror pods`
  }
  if (spec.nodeName !== node) {
    return `${who} can only create pods with spec.nodeName set to itself`
  }
  return (await ownerProblem(node, pod, context)) ?? referenceProblem(who, pod, spec)
}

/** @throws StatusError NotFound for a node that is not there. */
async function ownerProblem(
  node: string,
  pod: Pod,
  context: PluginContext,
): Promise<string | undefined> {
  const owners = (pod as ApiObject).metadata.ownerReferences ?? []
  const who = `node ${quoted(node)}`
  const [owner] = owners
  if (owners.length > 1) {
    return `${who} can only create pods with a single owner reference set to itself`
  }
  const isOwn = owner?.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === node
  if (owner === undefined || !isOwn) {
    return `${who} can only create pods with an owner reference set to itself`
  }
  if (!owner.controller) {
    return `${who} can only create pods with a controller owner reference set to itself`
  }
  if (owner.blockOwnerDeletion) {
    return `${who} must not set blockOwnerDeletion on an owner reference`
  }
  const found = (await getObject(context, 'api/v1/nodes', node)) as Node | undefined
  const kind = servedKind(context, 'api/v1/nodes')
  if (found === undefined && kind !== undefined) throw notCached(kind, node)
  const uid = found?.metadata.uid ?? ''
  return owner.uid === uid
    ? undefined
    : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`
}

function referenceProblem(who: string, pod: Pod, spec: Partial<PodSpec>): string | undefined {
  const what = spec.serviceAccountName
    ? 'a service account'
    : podSecretNames(spec).length > 0
      ? 'secrets'
      : podConfigMapNames(spec).length > 0
        ? 'configmaps'
        : usesTrustBundle(spec)
          ? 'clustertrustbundles'
          : podClaimNames(spec, pod.metadata?.name ?? '').length > 0
            ? 'persistentvolumeclaims'
            : undefined
  return what && `${who} can not create pods that reference ${what}`
}

function usesTrustBundle({ volumes = [] }: Partial<PodSpec>): boolean {
  return volumes.some(({ projected }) =>
    projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined),
  )
}

function statusProblem(node: string, { object, oldObject }: Attributes): string | undefined {
  const [pod, old] = [object, oldObject] as readonly (Pod | undefined)[]
  const who = `node ${quoted(node)}`
  if (old?.spec?.nodeName !== node) {
    return `${who} can only update pod status for pods with spec.nodeName set to itself`
  }
  if (!deepEqual(pod?.metadata?.labels ?? {}, old.metadata?.labels ?? {})) {
    return `${who} cannot update labels through pod status`
  }
  const claims = pod?.status?.resourceClaimStatuses ?? []
  return deepEqual(claims, old.status?.resourceClaimStatuses ?? [])
    ? undefined
    : `${who} cannot update resource claim statues`
}

/** Of a claim, a node reports its capacity and conditions. */
export const claimStatusProblem: NodeCheck = (node, attributes) => {
  const { operation, subresource, object, oldObject } = attributes
  if (subresource !== 'status') return 'may only update PVC status'
  if (operation !== 'UPDATE') return `unexpected operation ${quoted(operation)}`
  if (deepEqual(unreported(object), unreported(oldObject))) return undefined
  return `node ${quoted(node)} is not allowed to update fields other than status.capacity and status.conditions`
}

function unreported(object: ApiObject | undefined): unknown {
  const { metadata, status, ...rest } = (object ?? {}) as Partial<PersistentVolumeClaim>
  const { resourceVersion, managedFields, ...kept } = (metadata ?? {}) as Record<string, unknown>
  const { capacity, conditions, ...others } = (status ?? {}) as Record<string, unknown>
  return { ...rest, metadata: kept, status: others }
}
