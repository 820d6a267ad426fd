/** The rules, by the names that schema files use. */
import { invariant } from '../kernel/invariant.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { certificateSigningRequest } from './certificate-requests.ts'
import { configMap } from './config-map.ts'
import { deploymentStrategy } from './deployment-strategy.ts'
import { event } from './event.ts'
import { flowSchema, priorityLevel, zeroShares } from './flow-control.ts'
import { ingress, ingressClass } from './ingress.ts'
import type { Rule } from './kinds.ts'
import { lease } from './lease.ts'
import { namespace } from './namespace.ts'
import { networkPolicy } from './network-policy.ts'
import { node } from './node.ts'
import { podDefaults } from './pod-defaults.ts'
import { podLifecycle } from './pod-lifecycle.ts'
import { podTemplate } from './pod-template.ts'
import {
  podSchedulingContext,
  resourceClaim,
  resourceClaimTemplate,
  resourceClass,
} from './resource-claims.ts'
import { clusterRole, clusterRoleBinding, role, roleBinding } from './roles.ts'
import { secret } from './secret.ts'
import { service } from './service.ts'
import { ipAddress, serviceCIDR } from './service-ranges.ts'
import { storageVersion } from './storage-versions.ts'
import { clusterTrustBundle } from './trust-bundles.ts'
import { workload } from './workload.ts'

/** Every rule that a schema file may name. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>(
  Object.entries({
    certificateSigningRequest,
    clusterRole,
    clusterRoleBinding,
    clusterTrustBundle,
    flowSchema,
    ingress,
    ingressClass,
    ipAddress,
    networkPolicy,
    podSchedulingContext,
    priorityLevel,
    resourceClaim,
    resourceClaimTemplate,
    resourceClass,
    role,
    roleBinding,
    serviceCIDR,
    storageVersion,
    zeroShares,
    configMap,
    deploymentStrategy,
    event,
    lease,
    namespace,
    node,
    podDefaults,
    podLifecycle,
    podTemplate,
    secret,
    service,
    workload,
  }),
)

/** The rules of a kind, in the order its schema names them. An unknown name is our own mistake and fails loudly. */
export function rulesOf(kind: AnyKind): readonly Rule[] {
  return kind.rules.map((name) => {
    const rule = rules.get(name)
    invariant(rule !== undefined, `${kind.kind} names the unknown rule ${name}`)
    return rule
  })
}
