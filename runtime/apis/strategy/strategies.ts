/** The strategies by the names that schema files use. Each is loaded when an object of a kind that names it is first written. */
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { loadChecks } from '../validation/checks.ts'
import { Field, type Validation } from '../validation/field.ts'
import type { StrategyContext } from './context.ts'
import type { Strategy } from './strategy.ts'

/** The module of every strategy that a schema file may name; it exports the strategy under that name. */
const modules: Readonly<Record<string, () => Promise<object>>> = {
  admissionPolicy: () => import('../admissionregistration/admission-policy.ts'),
  admissionPolicyBinding: () => import('../admissionregistration/policy-binding.ts'),
  apiService: () => import('../apiregistration/api-service.ts'),
  autoscaler: () => import('../autoscaling/autoscaler.ts'),
  certificateSigningRequest: () => import('../certificates/certificate-signing-request.ts'),
  clusterRole: () => import('../rbac/roles.ts'),
  clusterRoleBinding: () => import('../rbac/roles.ts'),
  clusterTrustBundle: () => import('../certificates/trust-bundle.ts'),
  configMap: () => import('../core/config/config-map.ts'),
  cronJob: () => import('../batch/cron-job.ts'),
  csiDriver: () => import('../storage/csi.ts'),
  csiNode: () => import('../storage/csi.ts'),
  csiStorageCapacity: () => import('../storage/csi.ts'),
  customResourceDefinition: () => import('../apiextensions/custom-resource-definition.ts'),
  daemonSet: () => import('../apps/daemon-set.ts'),
  deploymentStrategy: () => import('../apps/deployment.ts'),
  disruptionBudget: () => import('../policy/disruption-budget.ts'),
  endpoints: () => import('../core/service/endpoints.ts'),
  endpointSlice: () => import('../discovery/endpoint-slice.ts'),
  event: () => import('../core/event/event.ts'),
  flowSchema: () => import('../flowcontrol/flow-control.ts'),
  ingress: () => import('../networking/ingress.ts'),
  ingressClass: () => import('../networking/ingress.ts'),
  ipAddress: () => import('../networking/service-cidr.ts'),
  job: () => import('../batch/job.ts'),
  lease: () => import('../coordination/lease.ts'),
  limitRange: () => import('../core/quota/limit-range.ts'),
  namespace: () => import('../core/namespace/namespace.ts'),
  networkPolicy: () => import('../networking/network-policy.ts'),
  eventV1: () => import('../core/event/events-v1.ts'),
  node: () => import('../core/node/node.ts'),
  persistentVolume: () => import('../core/volume/persistent-volume.ts'),
  persistentVolumeClaim: () => import('../core/volume/persistent-volume-claim.ts'),
  autoscalerV1: () => import('../autoscaling/autoscaler-v1.ts'),
  podDefaults: () => import('../core/pod/pod-defaults.ts'),
  podLifecycle: () => import('../core/pod/pod-lifecycle.ts'),
  podSchedulingContext: () => import('../resource/resource-claims.ts'),
  podTemplate: () => import('../core/pod/pod-template-spec.ts'),
  priorityClass: () => import('../scheduling/priority-class.ts'),
  priorityLevel: () => import('../flowcontrol/flow-control.ts'),
  replicationController: () => import('../apps/replication-controller.ts'),
  resourceClaim: () => import('../resource/resource-claims.ts'),
  resourceClaimTemplate: () => import('../resource/resource-claims.ts'),
  resourceClass: () => import('../resource/resource-claims.ts'),
  resourceQuota: () => import('../core/quota/resource-quota.ts'),
  role: () => import('../rbac/roles.ts'),
  roleBinding: () => import('../rbac/roles.ts'),
  runtimeClass: () => import('../node/runtime-class.ts'),
  secret: () => import('../core/config/secret.ts'),
  service: () => import('../core/service/service.ts'),
  serviceCIDR: () => import('../networking/service-cidr.ts'),
  statefulSet: () => import('../apps/stateful-set.ts'),
  storageClass: () => import('../storage/storage-class.ts'),
  storageVersion: () => import('../apiserverinternal/storage-version.ts'),
  storedTemplate: () => import('../core/pod/pod-template.ts'),
  volumeAttachment: () => import('../storage/csi.ts'),
  volumeAttributesClass: () => import('../storage/storage-class.ts'),
  webhooks: () => import('../admissionregistration/webhooks.ts'),
  workload: () => import('../apps/workload.ts'),
  zeroShares: () => import('../flowcontrol/flow-control.ts'),
}

/** Every strategy that a schema file may name, and how it is loaded. */
export const strategies: ReadonlyMap<string, () => Promise<Strategy>> = new Map(
  Object.entries(modules).map(([name, load]) => [
    name,
    async () => (await load())[name as keyof object] as Strategy,
  ]),
)

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
  const under = loading.get(kind) ?? loadAll(kind).then((all) => void known.set(kind, all))
  loading.set(kind, under)
  return under
}

async function loadAll(kind: AnyKind): Promise<readonly Strategy[]> {
  const { immutable: fields, validations: table } = kind
  const checks = await loadChecks(kind.checks)
  return Promise.all([
    ...kind.strategies.map(async (name) => withValidate(await loadNamed(kind, name), kind, checks)),
    ...(fields ? [import('./immutable.ts').then(({ immutable }) => immutable(fields))] : []),
    ...(table ? [import('./expressions.ts').then(({ expressions }) => expressions(table))] : []),
  ])
}

function loadNamed(kind: AnyKind, name: string): Promise<Strategy> {
  const strategy = strategies.get(name)
  invariant(strategy !== undefined, `${kind.kind} names the unknown strategy ${name}`)
  return strategy()
}

/** The strategy with its checks as functions of two objects. */
function withValidate(strategy: Strategy, kind: AnyKind, checks: Validation['checks']): Strategy {
  const fieldOf = (object: ApiObject, old: unknown, context: StrategyContext) => {
    const errors: FieldError[] = []
    return {
      errors,
      field: new Field<ApiObject>(object, old, { errors, checks, context }, kind.checks),
    }
  }
  return {
    ...strategy,
    ...(strategy.check && {
      validate(object, old, context) {
        const { errors, field } = fieldOf(object, old, context)
        strategy.check?.(field, context)
        return errors
      },
    }),
    ...(strategy.checkInSteps && {
      *validateInSteps(object, old, context) {
        const { errors, field } = fieldOf(object, old, context)
        yield* strategy.checkInSteps?.(field, context) ?? []
        return errors
      },
    }),
  }
}
