/** The rules, by the names that schema files use. */
import { invariant } from '../kernel/invariant.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { autoscaler } from './autoscaler.ts'
import { configMap } from './config-map.ts'
import { controllerRevision } from './controller-revision.ts'
import { cronJob } from './cron-job.ts'
import { daemonSet } from './daemon-set.ts'
import { deploymentStrategy } from './deployment-strategy.ts'
import { disruptionBudget } from './disruption-budget.ts'
import { endpointSlice } from './endpoint-slice.ts'
import { endpoints } from './endpoints.ts'
import { event } from './event.ts'
import { immutable } from './immutable.ts'
import { job } from './job.ts'
import type { Rule } from './kinds.ts'
import { lease } from './lease.ts'
import { limitRange } from './limit-range.ts'
import { namespace } from './namespace.ts'
import { node } from './node.ts'
import { persistentVolume } from './persistent-volume.ts'
import { persistentVolumeClaim } from './persistent-volume-claim.ts'
import { podDefaults } from './pod-defaults.ts'
import { podLifecycle } from './pod-lifecycle.ts'
import { podTemplate } from './pod-template.ts'
import { priorityClass } from './priority-class.ts'
import { replicationController } from './replication-controller.ts'
import { resourceQuota } from './resource-quota.ts'
import { runtimeClass } from './runtime-class.ts'
import { secret } from './secret.ts'
import { service } from './service.ts'
import { statefulSet } from './stateful-set.ts'
import { storageClass, volumeAttributesClass } from './storage-class.ts'
import { csiDriver, csiNode, csiStorageCapacity, volumeAttachment } from './storage-drivers.ts'
import { storedTemplate } from './stored-template.ts'
import { workload } from './workload.ts'

/** Every rule that a schema file may name. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>(
  Object.entries({
    autoscaler,
    configMap,
    controllerRevision,
    cronJob,
    csiDriver,
    csiNode,
    csiStorageCapacity,
    daemonSet,
    deploymentStrategy,
    disruptionBudget,
    endpointSlice,
    endpoints,
    event,
    job,
    lease,
    limitRange,
    namespace,
    node,
    persistentVolume,
    persistentVolumeClaim,
    podDefaults,
    podLifecycle,
    podTemplate,
    priorityClass,
    replicationController,
    resourceQuota,
    runtimeClass,
    secret,
    service,
    statefulSet,
    storageClass,
    storedTemplate,
    volumeAttachment,
    volumeAttributesClass,
    workload,
  }),
)

const found = new WeakMap<AnyKind, readonly Rule[]>()

/**
 * The rules of a kind, in the order its schema names them, and the one that keeps its immutable fields. An unknown name
 * is our own mistake and fails loudly.
 */
export function rulesOf(kind: AnyKind): readonly Rule[] {
  const known = found.get(kind)
  if (known !== undefined) return known
  const fixed = kind.immutable === undefined ? [] : [immutable(kind.immutable)]
  const all = [...namedRules(kind), ...fixed]
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
