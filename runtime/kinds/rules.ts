/** The rules, by the names that schema files use. */
import { invariant } from '../kernel/invariant.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { admissionPolicy } from './admission-policies.ts'
import { autoscaler } from './autoscaler.ts'
import { plainAutoscaler } from './autoscaler-versions.ts'
import { certificateSigningRequest } from './certificate-requests.ts'
import { configMap } from './config-map.ts'
import { cronJob } from './cron-job.ts'
import { customResourceDefinition } from './custom-resource-definition.ts'
import { daemonSet } from './daemon-set.ts'
import { deploymentStrategy } from './deployment-strategy.ts'
import { disruptionBudget } from './disruption-budget.ts'
import { endpointSlice } from './endpoint-slice.ts'
import { endpoints } from './endpoints.ts'
import { event } from './event.ts'
import { expressions } from './expressions.ts'
import { flowSchema, priorityLevel, zeroShares } from './flow-control.ts'
import { immutable } from './immutable.ts'
import { ingress, ingressClass } from './ingress.ts'
import { job } from './job.ts'
import type { Rule } from './kinds.ts'
import { lease } from './lease.ts'
import { limitRange } from './limit-range.ts'
import { namespace } from './namespace.ts'
import { networkPolicy } from './network-policy.ts'
import { newEvent } from './new-event.ts'
import { node } from './node.ts'
import { persistentVolume } from './persistent-volume.ts'
import { persistentVolumeClaim } from './persistent-volume-claim.ts'
import { podDefaults } from './pod-defaults.ts'
import { podLifecycle } from './pod-lifecycle.ts'
import { podTemplate } from './pod-template.ts'
import { admissionPolicyBinding } from './policy-bindings.ts'
import { priorityClass } from './priority-class.ts'
import { replicationController } from './replication-controller.ts'
import {
  podSchedulingContext,
  resourceClaim,
  resourceClaimTemplate,
  resourceClass,
} from './resource-claims.ts'
import { resourceQuota } from './resource-quota.ts'
import { clusterRole, clusterRoleBinding, role, roleBinding } from './roles.ts'
import { runtimeClass } from './runtime-class.ts'
import { secret } from './secret.ts'
import { service } from './service.ts'
import { ipAddress, serviceCIDR } from './service-ranges.ts'
import { statefulSet } from './stateful-set.ts'
import { storageClass, volumeAttributesClass } from './storage-class.ts'
import { csiDriver, csiNode, csiStorageCapacity, volumeAttachment } from './storage-drivers.ts'
import { storageVersion } from './storage-versions.ts'
import { storedTemplate } from './stored-template.ts'
import { clusterTrustBundle } from './trust-bundles.ts'
import { webhooks } from './webhooks.ts'
import { workload } from './workload.ts'

/** Every rule that a schema file may name. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>(
  Object.entries({
    admissionPolicy,
    admissionPolicyBinding,
    autoscaler,
    certificateSigningRequest,
    clusterRole,
    clusterRoleBinding,
    clusterTrustBundle,
    configMap,
    cronJob,
    csiDriver,
    csiNode,
    csiStorageCapacity,
    customResourceDefinition,
    daemonSet,
    deploymentStrategy,
    disruptionBudget,
    endpoints,
    endpointSlice,
    event,
    flowSchema,
    ingress,
    ingressClass,
    ipAddress,
    job,
    lease,
    limitRange,
    namespace,
    networkPolicy,
    newEvent,
    node,
    persistentVolume,
    persistentVolumeClaim,
    plainAutoscaler,
    podDefaults,
    podLifecycle,
    podSchedulingContext,
    podTemplate,
    priorityClass,
    priorityLevel,
    replicationController,
    resourceClaim,
    resourceClaimTemplate,
    resourceClass,
    resourceQuota,
    role,
    roleBinding,
    runtimeClass,
    secret,
    service,
    serviceCIDR,
    statefulSet,
    storageClass,
    storageVersion,
    storedTemplate,
    volumeAttachment,
    volumeAttributesClass,
    webhooks,
    workload,
    zeroShares,
  }),
)

const found = new WeakMap<AnyKind, readonly Rule[]>()

/**
 * The rules of a kind, in the order its schema names them, then the one that keeps its immutable fields, then those that
 * the schema states in the expression language. An unknown name
 * is our own mistake and fails loudly.
 */
export function rulesOf(kind: AnyKind): readonly Rule[] {
  const known = found.get(kind)
  if (known !== undefined) return known
  const fixed = kind.immutable === undefined ? [] : [immutable(kind.immutable)]
  const said = kind.validations === undefined ? [] : [expressions(kind.validations)]
  const all = [...namedRules(kind), ...fixed, ...said]
  found.set(kind, all)
  return all
}

function namedRules(kind: AnyKind): readonly Rule[] {
  return kind.rules.map((name) => {
    const rule = rules.get(name)
    invariant(rule !== undefined, `${kind.kind} names the unknown rule ${name}`)
    return rule
  })
}
