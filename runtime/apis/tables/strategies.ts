/** The strategies by the names that schema files use. Each is loaded when an object of a kind that names it is first written. */

import { loadersOf } from '../../kernel/async/loaders.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { Field, type Validation } from '../../kernel/walker/field.ts'
import type { StrategyContext } from '../strategy/context.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { loadChecks } from './checks.ts'

/** Every strategy that a schema file may name, and how it is loaded. */
export const strategies = loadersOf<Strategy>({
  admissionPolicy: () => import('../admissionregistration/admission-policy.ts'),
  admissionPolicyBinding: () => import('../admissionregistration/policy-binding.ts'),
  webhooks: () => import('../admissionregistration/webhooks.ts'),
  customResourceDefinition: () => import('../apiextensions/custom-resource-definition.ts'),
  apiService: () => import('../apiregistration/api-service.ts'),
  storageVersion: () => import('../apiserverinternal/storage-version.ts'),
  daemonSet: () => import('../apps/daemon-set.ts'),
  deploymentStrategy: () => import('../apps/deployment.ts'),
  replicaCounts: () => import('../apps/replica-counts.ts'),
  replicationController: () => import('../apps/replication-controller.ts'),
  statefulSet: () => import('../apps/stateful-set.ts'),
  workload: () => import('../apps/workload.ts'),
  autoscalerV1: () => import('../autoscaling/autoscaler-v1.ts'),
  autoscaler: () => import('../autoscaling/autoscaler.ts'),
  cronJob: () => import('../batch/cron-job.ts'),
  job: () => import('../batch/job.ts'),
  certificateSigningRequest: () => import('../certificates/certificate-signing-request.ts'),
  clusterTrustBundle: () => import('../certificates/trust-bundle.ts'),
  configMap: () => import('../core/config/config-map.ts'),
  secret: () => import('../core/config/secret.ts'),
  serviceAccount: () => import('../core/config/service-account.ts'),
  event: () => import('../core/event/event.ts'),
  eventV1: () => import('../core/event/events-v1.ts'),
  namespace: () => import('../core/namespace/namespace.ts'),
  node: () => import('../core/node/node.ts'),
  podDefaults: () => import('../core/pod/pod-defaults.ts'),
  podLifecycle: () => import('../core/pod/pod-lifecycle.ts'),
  'claimingTemplate podTemplate': () => import('../core/pod/pod-template-spec.ts'),
  storedTemplate: () => import('../core/pod/pod-template.ts'),
  limitRange: () => import('../core/quota/limit-range.ts'),
  resourceQuota: () => import('../core/quota/resource-quota.ts'),
  service: () => import('../core/service/service.ts'),
  persistentVolumeClaim: () => import('../core/volume/persistent-volume-claim.ts'),
  persistentVolume: () => import('../core/volume/persistent-volume.ts'),
  endpointSlice: () => import('../discovery/endpoint-slice.ts'),
  'flowSchema priorityLevel zeroShares': () => import('../flowcontrol/flow-control.ts'),
  'ingress ingressClass': () => import('../networking/ingress.ts'),
  networkPolicy: () => import('../networking/network-policy.ts'),
  'ipAddress serviceCIDR': () => import('../networking/service-cidr.ts'),
  runtimeClass: () => import('../node/runtime-class.ts'),
  disruptionBudget: () => import('../policy/disruption-budget.ts'),
  'clusterRole clusterRoleBinding role roleBinding': () => import('../rbac/roles.ts'),
  'resourceClaim resourceClass': () => import('../resource/resource-claims.ts'),
  priorityClass: () => import('../scheduling/priority-class.ts'),
  'csiDriver csiNode csiStorageCapacity volumeAttachment': () => import('../storage/csi.ts'),
  typeChecks: () => import('../strategy/type-checks.ts'),
  'storageClass volumeAttributesClass': () => import('../storage/storage-class.ts'),
})

const known = new WeakMap<AnyKind, readonly Strategy[]>()
const loading = new WeakMap<AnyKind, Promise<void>>()

/**
 * The strategies of a kind, in the order its schema names them, then the one that keeps its immutable fields, then those
 * that the schema states in the expression language. `loadStrategies` has to have settled for the kind.
 */
export function strategiesOf(kind: AnyKind): readonly Strategy[] {
  const found = known.get(kind)
  invariant(found !== undefined, `the strategies of ${kind.kind} are not loaded`)
  return found
}

/** Loads the strategies of a kind; undefined if they are there. Fails if the kind names an unknown one. */
export function loadStrategies(kind: AnyKind): Promise<void> | undefined {
  if (known.has(kind)) return undefined
  // Two first writes of a kind at the same time share one load.
  const under = loading.get(kind) ?? loadAll(kind).then((all) => void known.set(kind, all))
  loading.set(kind, under)
  return under
}

/**
 * Modules are loaded at the same time; the order of the strategies does not depend on which comes
 * first.
 */
async function loadAll(kind: AnyKind): Promise<readonly Strategy[]> {
  const { immutable: fields, validations: table } = kind
  const checks = await loadChecks(kind.checks)
  return Promise.all([
    ...kind.strategies.map(async (name) => withValidate(await loadNamed(kind, name), kind, checks)),
    ...(fields
      ? [import('../strategy/immutable.ts').then(({ immutable }) => immutable(fields))]
      : []),
    ...(table
      ? [import('../strategy/expressions.ts').then(({ expressions }) => expressions(table))]
      : []),
  ])
}

function loadNamed(kind: AnyKind, name: string): Promise<Strategy> {
  const strategy = strategies.get(name)
  invariant(strategy !== undefined, `${kind.kind} names the unknown strategy ${name}`)
  return strategy()
}

/** The strategy with its checks as functions of two objects. */
function withValidate(strategy: Strategy, kind: AnyKind, checks: Validation['checks']): Strategy {
  const { check, checkStatus, checkInSteps } = strategy
  const fieldOf = (
    object: ApiObject,
    old: unknown,
    errors: FieldError[],
    { reading, platform: { domain } }: StrategyContext,
  ) => new Field<ApiObject>(object, old, { errors, checks, reading, domain }, kind.checks)
  return {
    ...strategy,
    ...((check || checkStatus) && {
      validate(object, old, context) {
        const errors: FieldError[] = []
        const hook = writesStatus(context) ? checkStatus : check
        hook?.(fieldOf(object, old, errors, context), context)
        return errors
      },
    }),
    ...(checkInSteps && {
      *validateInSteps(object, old, context) {
        const errors: FieldError[] = []
        if (!writesStatus(context))
          yield* checkInSteps(fieldOf(object, old, errors, context), context)
        return errors
      },
    }),
  }
}

/** True for a write through the path of the status, on which nothing else is judged. */
function writesStatus({ subresource }: StrategyContext): boolean {
  return subresource === 'status'
}
