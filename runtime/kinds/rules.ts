/** The rules, by the names that schema files use. Each is loaded when an object of a kind that names it is first written. */
import { invariant } from '../kernel/invariant.ts'
import type { AnyKind } from '../kernel/kind.ts'
import type { Rule } from './kinds.ts'

/** Every rule that a schema file may name, and how it is loaded. */
export const rules: ReadonlyMap<string, () => Promise<Rule>> = new Map(
  Object.entries({
    admissionPolicy: async () => (await import('./admission-policies.ts')).admissionPolicy,
    admissionPolicyBinding: async () =>
      (await import('./policy-bindings.ts')).admissionPolicyBinding,
    apiService: async () => (await import('./api-services.ts')).apiService,
    autoscaler: async () => (await import('./autoscaler.ts')).autoscaler,
    certificateSigningRequest: async () =>
      (await import('./certificate-requests.ts')).certificateSigningRequest,
    clusterRole: async () => (await import('./roles.ts')).clusterRole,
    clusterRoleBinding: async () => (await import('./roles.ts')).clusterRoleBinding,
    clusterTrustBundle: async () => (await import('./trust-bundles.ts')).clusterTrustBundle,
    configMap: async () => (await import('./config-map.ts')).configMap,
    cronJob: async () => (await import('./cron-job.ts')).cronJob,
    csiDriver: async () => (await import('./storage-drivers.ts')).csiDriver,
    csiNode: async () => (await import('./storage-drivers.ts')).csiNode,
    csiStorageCapacity: async () => (await import('./storage-drivers.ts')).csiStorageCapacity,
    customResourceDefinition: async () =>
      (await import('./custom-resource-definition.ts')).customResourceDefinition,
    daemonSet: async () => (await import('./daemon-set.ts')).daemonSet,
    deploymentStrategy: async () => (await import('./deployment-strategy.ts')).deploymentStrategy,
    disruptionBudget: async () => (await import('./disruption-budget.ts')).disruptionBudget,
    endpoints: async () => (await import('./endpoints.ts')).endpoints,
    endpointSlice: async () => (await import('./endpoint-slice.ts')).endpointSlice,
    event: async () => (await import('./event.ts')).event,
    flowSchema: async () => (await import('./flow-control.ts')).flowSchema,
    ingress: async () => (await import('./ingress.ts')).ingress,
    ingressClass: async () => (await import('./ingress.ts')).ingressClass,
    ipAddress: async () => (await import('./service-ranges.ts')).ipAddress,
    job: async () => (await import('./job.ts')).job,
    lease: async () => (await import('./lease.ts')).lease,
    limitRange: async () => (await import('./limit-range.ts')).limitRange,
    namespace: async () => (await import('./namespace.ts')).namespace,
    networkPolicy: async () => (await import('./network-policy.ts')).networkPolicy,
    newEvent: async () => (await import('./new-event.ts')).newEvent,
    node: async () => (await import('./node.ts')).node,
    persistentVolume: async () => (await import('./persistent-volume.ts')).persistentVolume,
    persistentVolumeClaim: async () =>
      (await import('./persistent-volume-claim.ts')).persistentVolumeClaim,
    plainAutoscaler: async () => (await import('./autoscaler-versions.ts')).plainAutoscaler,
    podDefaults: async () => (await import('./pod-defaults.ts')).podDefaults,
    podLifecycle: async () => (await import('./pod-lifecycle.ts')).podLifecycle,
    podSchedulingContext: async () => (await import('./resource-claims.ts')).podSchedulingContext,
    podTemplate: async () => (await import('./pod-template.ts')).podTemplate,
    priorityClass: async () => (await import('./priority-class.ts')).priorityClass,
    priorityLevel: async () => (await import('./flow-control.ts')).priorityLevel,
    replicationController: async () =>
      (await import('./replication-controller.ts')).replicationController,
    resourceClaim: async () => (await import('./resource-claims.ts')).resourceClaim,
    resourceClaimTemplate: async () => (await import('./resource-claims.ts')).resourceClaimTemplate,
    resourceClass: async () => (await import('./resource-claims.ts')).resourceClass,
    resourceQuota: async () => (await import('./resource-quota.ts')).resourceQuota,
    role: async () => (await import('./roles.ts')).role,
    roleBinding: async () => (await import('./roles.ts')).roleBinding,
    runtimeClass: async () => (await import('./runtime-class.ts')).runtimeClass,
    secret: async () => (await import('./secret.ts')).secret,
    service: async () => (await import('./service.ts')).service,
    serviceCIDR: async () => (await import('./service-ranges.ts')).serviceCIDR,
    statefulSet: async () => (await import('./stateful-set.ts')).statefulSet,
    storageClass: async () => (await import('./storage-class.ts')).storageClass,
    storageVersion: async () => (await import('./storage-versions.ts')).storageVersion,
    storedTemplate: async () => (await import('./stored-template.ts')).storedTemplate,
    volumeAttachment: async () => (await import('./storage-drivers.ts')).volumeAttachment,
    volumeAttributesClass: async () => (await import('./storage-class.ts')).volumeAttributesClass,
    webhooks: async () => (await import('./webhooks.ts')).webhooks,
    workload: async () => (await import('./workload.ts')).workload,
    zeroShares: async () => (await import('./flow-control.ts')).zeroShares,
  }),
)

const known = new WeakMap<AnyKind, readonly Rule[]>()
const loading = new WeakMap<AnyKind, Promise<void>>()

/**
 * The rules of a kind, in the order its schema names them, then the one that keeps its immutable fields, then those that
 * the schema states in the expression language. `loadRules` has to have settled for the kind.
 */
export function rulesOf(kind: AnyKind): readonly Rule[] {
  const found = known.get(kind)
  invariant(found !== undefined, `the rules of ${kind.kind} are not loaded`)
  return found
}

/** Loads the rules of a kind; undefined if they are there. An unknown name is our own mistake and fails loudly. */
export function loadRules(kind: AnyKind): Promise<void> | undefined {
  if (known.has(kind)) return undefined
  const under = loading.get(kind) ?? load(kind).then((all) => void known.set(kind, all))
  loading.set(kind, under)
  return under
}

async function load(kind: AnyKind): Promise<readonly Rule[]> {
  const { immutable: fields, validations: table } = kind
  return Promise.all([
    ...kind.rules.map((name) => named(kind, name)),
    ...(fields ? [import('./immutable.ts').then(({ immutable }) => immutable(fields))] : []),
    ...(table ? [import('./expressions.ts').then(({ expressions }) => expressions(table))] : []),
  ])
}

function named(kind: AnyKind, name: string): Promise<Rule> {
  const rule = rules.get(name)
  invariant(rule !== undefined, `${kind.kind} names the unknown rule ${name}`)
  return rule()
}
