/** The rules, by the names that schema files use. Each is loaded when an object of a kind that names it is first written. */

import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { Strategy } from '../apis.ts'

/** Every rule that a schema file may name, and how it is loaded. */
export const strategies: ReadonlyMap<string, () => Promise<Strategy>> = new Map(
  Object.entries({
    admissionPolicy: async () =>
      (await import('../admissionregistration/admission-policy.ts')).admissionPolicy,
    admissionPolicyBinding: async () =>
      (await import('../admissionregistration/policy-binding.ts')).admissionPolicyBinding,
    apiService: async () => (await import('../apiregistration/api-service.ts')).apiService,
    autoscaler: async () => (await import('../autoscaling/autoscaler.ts')).autoscaler,
    certificateSigningRequest: async () =>
      (await import('../certificates/certificate-signing-request.ts')).certificateSigningRequest,
    clusterRole: async () => (await import('../rbac/roles.ts')).clusterRole,
    clusterRoleBinding: async () => (await import('../rbac/roles.ts')).clusterRoleBinding,
    clusterTrustBundle: async () =>
      (await import('../certificates/trust-bundle.ts')).clusterTrustBundle,
    configMap: async () => (await import('../core/config/config-map.ts')).configMap,
    cronJob: async () => (await import('../batch/cron-job.ts')).cronJob,
    csiDriver: async () => (await import('../storage/csi.ts')).csiDriver,
    csiNode: async () => (await import('../storage/csi.ts')).csiNode,
    csiStorageCapacity: async () => (await import('../storage/csi.ts')).csiStorageCapacity,
    customResourceDefinition: async () =>
      (await import('../apiextensions/custom-resource-definition.ts')).customResourceDefinition,
    daemonSet: async () => (await import('../apps/daemon-set.ts')).daemonSet,
    deploymentStrategy: async () => (await import('../apps/deployment.ts')).deploymentStrategy,
    disruptionBudget: async () => (await import('../policy/disruption-budget.ts')).disruptionBudget,
    endpoints: async () => (await import('../core/service/endpoints.ts')).endpoints,
    endpointSlice: async () => (await import('../discovery/endpoint-slice.ts')).endpointSlice,
    event: async () => (await import('../core/event/event.ts')).event,
    flowSchema: async () => (await import('../flowcontrol/flow-control.ts')).flowSchema,
    ingress: async () => (await import('../networking/ingress.ts')).ingress,
    ingressClass: async () => (await import('../networking/ingress.ts')).ingressClass,
    ipAddress: async () => (await import('../networking/service-cidr.ts')).ipAddress,
    job: async () => (await import('../batch/job.ts')).job,
    lease: async () => (await import('../coordination/lease.ts')).lease,
    limitRange: async () => (await import('../core/quota/limit-range.ts')).limitRange,
    namespace: async () => (await import('../core/namespace/namespace.ts')).namespace,
    networkPolicy: async () => (await import('../networking/network-policy.ts')).networkPolicy,
    newEvent: async () => (await import('../core/event/events-v1.ts')).eventV1,
    node: async () => (await import('../core/node/node.ts')).node,
    persistentVolume: async () =>
      (await import('../core/volume/persistent-volume.ts')).persistentVolume,
    persistentVolumeClaim: async () =>
      (await import('../core/volume/persistent-volume-claim.ts')).persistentVolumeClaim,
    plainAutoscaler: async () => (await import('../autoscaling/autoscaler-v1.ts')).autoscalerV1,
    podDefaults: async () => (await import('../core/pod/pod-defaults.ts')).podDefaults,
    podLifecycle: async () => (await import('../core/pod/pod-lifecycle.ts')).podLifecycle,
    podSchedulingContext: async () =>
      (await import('../resource/resource-claims.ts')).podSchedulingContext,
    podTemplate: async () => (await import('../core/pod/pod-template-spec.ts')).podTemplate,
    priorityClass: async () => (await import('../scheduling/priority-class.ts')).priorityClass,
    priorityLevel: async () => (await import('../flowcontrol/flow-control.ts')).priorityLevel,
    replicationController: async () =>
      (await import('../apps/replication-controller.ts')).replicationController,
    resourceClaim: async () => (await import('../resource/resource-claims.ts')).resourceClaim,
    resourceClaimTemplate: async () =>
      (await import('../resource/resource-claims.ts')).resourceClaimTemplate,
    resourceClass: async () => (await import('../resource/resource-claims.ts')).resourceClass,
    resourceQuota: async () => (await import('../core/quota/resource-quota.ts')).resourceQuota,
    role: async () => (await import('../rbac/roles.ts')).role,
    roleBinding: async () => (await import('../rbac/roles.ts')).roleBinding,
    runtimeClass: async () => (await import('../node/runtime-class.ts')).runtimeClass,
    secret: async () => (await import('../core/config/secret.ts')).secret,
    service: async () => (await import('../core/service/service.ts')).service,
    serviceCIDR: async () => (await import('../networking/service-cidr.ts')).serviceCIDR,
    statefulSet: async () => (await import('../apps/stateful-set.ts')).statefulSet,
    storageClass: async () => (await import('../storage/storage-class.ts')).storageClass,
    storageVersion: async () =>
      (await import('../apiserverinternal/storage-version.ts')).storageVersion,
    storedTemplate: async () => (await import('../core/pod/pod-template.ts')).storedTemplate,
    volumeAttachment: async () => (await import('../storage/csi.ts')).volumeAttachment,
    volumeAttributesClass: async () =>
      (await import('../storage/storage-class.ts')).volumeAttributesClass,
    webhooks: async () => (await import('../admissionregistration/webhooks.ts')).webhooks,
    workload: async () => (await import('../apps/workload.ts')).workload,
    zeroShares: async () => (await import('../flowcontrol/flow-control.ts')).zeroShares,
  }),
)

const known = new WeakMap<AnyKind, readonly Strategy[]>()
const loading = new WeakMap<AnyKind, Promise<void>>()

/**
 * The rules of a kind, in the order its schema names them, then the one that keeps its immutable fields, then those that
 * the schema states in the expression language. `loadRules` has to have settled for the kind.
 */
export function strategiesOf(kind: AnyKind): readonly Strategy[] {
  const found = known.get(kind)
  invariant(found !== undefined, `the rules of ${kind.kind} are not loaded`)
  return found
}

/** Loads the rules of a kind; undefined if they are there. An unknown name is our own mistake and fails loudly. */
export function loadStrategies(kind: AnyKind): Promise<void> | undefined {
  if (known.has(kind)) return undefined
  const under = loading.get(kind) ?? loadAll(kind).then((all) => void known.set(kind, all))
  loading.set(kind, under)
  return under
}

async function loadAll(kind: AnyKind): Promise<readonly Strategy[]> {
  const { immutable: fields, validations: table } = kind
  return Promise.all([
    ...kind.strategies.map((name) => loadNamed(kind, name)),
    ...(fields ? [import('./immutable.ts').then(({ immutable }) => immutable(fields))] : []),
    ...(table ? [import('./expressions.ts').then(({ expressions }) => expressions(table))] : []),
  ])
}

function loadNamed(kind: AnyKind, name: string): Promise<Strategy> {
  const rule = strategies.get(name)
  invariant(rule !== undefined, `${kind.kind} names the unknown rule ${name}`)
  return rule()
}
