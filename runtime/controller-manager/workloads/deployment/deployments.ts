import { type Deployment, deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { type ReplicaSet, replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { Key } from '../../../client/client.ts'
import { objectKey } from '../../../informer/informer.ts'
import { isStatus, StatusError } from '../../../kernel/errors/status-error.ts'
import { labelRequirementsOf, matchesLabels } from '../../../kernel/meta/label-selector.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  again,
  controllerOf,
  done,
  failed,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { isNamespaceTerminating } from '../../contract/namespace-refusals.ts'
import { claim, claimable, controllerIndex, settleClaim } from '../../pods/claim.ts'
import { type DeploymentPlan, decideDeployment } from './decide-deployment.ts'
import { type PlannedSet, writtenSet } from './planned-sets.ts'
import { type RevisionKeys, revisionKeys } from './revisions.ts'
import { decideRollback } from './rollback.ts'
import { isRolling, progressDeadlineOf } from './rollout-limits.ts'
import { withCondition } from './rollout-status.ts'
import { isSameTemplate } from './template-hash.ts'

/** What changes all the time is looked at once in so many milliseconds; the steps of a rollout wait for nothing. */
const pace = { minIntervalMs: 100, burst: 40 }

/**
 * Rolls out the templates of deployments by replica sets (T-01): one for each template, the old ones with fewer and fewer pods, and none of
 * them touched while it is paused.
 *
 *   reads    Deployment, ReplicaSet, Pod; one Deployment afresh before it adopts
 *   writes   ReplicaSet: create, update, delete, owner references; Deployment: status, the annotation of its revision,
 *            and its template where a rollback is asked for; Event
 *   wakes    when a deployment or one of its sets changes, when a set appears that it selects, when a pod of one that makes all of them anew
 *            changes, and when it should have progressed
 *   settles  when all pods are of the present template, and the status says so
 */
export function deploymentController({
  name,
  platform,
  concurrency = 5,
}: BuildContext): readonly KeyController[] {
  const keys = revisionKeys(platform)
  return [
    {
      name,
      concurrency,
      queue: pace,
      watches: [
        watching(deployments, (object) => [objectKey(object)]),
        watching(replicaSets, keysOfSet, { indexes: controllerIndex }),
        watching(pods, keysOfPod, { indexes: controllerIndex }),
      ],
      async reconcile(key, context) {
        const deployment = context.cached(deployments).get(key)
        return deployment === undefined ? done : keepRollout(deployment, keys, context)
      },
    },
  ]
}

/** Who is told of a set: its controller, or else those that select it. */
function keysOfSet(set: Stored<ReplicaSet>, { cached }: Lookup): readonly Key[] {
  const { namespace, labels } = set.metadata
  const owner = controllerOf(set)
  if (owner !== undefined)
    return owner.kind === 'Deployment' ? [{ namespace, name: owner.name }] : []
  return cached(deployments)
    .list(namespace)
    .filter(({ spec }) => {
      const requirements = spec && labelRequirementsOf(spec.selector)
      return requirements !== undefined && matchesLabels(requirements, labels)
    })
    .map(objectKey)
}

/** Those that wait for old pods are told of pods. */
function keysOfPod(pod: Stored<Pod>, { cached }: Lookup): readonly Key[] {
  const { namespace } = pod.metadata
  const owner = controllerOf(pod)
  const set =
    owner?.kind === 'ReplicaSet' && cached(replicaSets).get({ namespace, name: owner.name })
  const controller = set ? controllerOf(set) : undefined
  if (controller === undefined) return []
  const deployment = cached(deployments).get({ namespace, name: controller.name })
  return deployment === undefined || isRolling(deployment) ? [] : [objectKey(deployment)]
}

async function keepRollout(
  deployment: Stored<Deployment>,
  keys: RevisionKeys,
  context: KeyContext,
): Promise<Outcome> {
  const { cached, client, clock, event, signal } = context
  try {
    const found = claimable(cached(replicaSets), deployment)
    const claimed = claim(found, { owner: deployment, selector: deployment.spec?.selector })
    const settling = {
      client,
      kind: replicaSets,
      owner: deployment,
      ownerKind: deployments,
      signal,
    }
    const sets = await settleClaim(claimed, settling)
    const hasPods = (set: Stored<ReplicaSet>) =>
      cached(pods)
        .index('controller', set.metadata.uid)
        .some(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    const back = decideRollback({ deployment, sets, keys })
    if (back !== undefined) {
      await client.resource(deployments).update(back.deployment, {}, signal)
      event(deployment, back.event)
      return done
    }
    const plan = decideDeployment({ deployment, sets, hasPods, keys }, clock.now())
    return await carryOut(plan, deployment, context)
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (isStatus(error, 'NotFound')) return done
    throw error
  }
}

async function carryOut(
  { writes, deletions, status, annotations, isChanged, checkMs }: DeploymentPlan,
  deployment: Stored<Deployment>,
  context: KeyContext,
): Promise<Outcome> {
  const { client } = context
  for (const set of writes) {
    if (set.stored !== undefined) await update(set, set.stored, deployment, context)
    else {
      const refused = await create(set, deployment, context)
      if (refused !== undefined) return refused
    }
  }
  for (const set of deletions) await remove(set, context)
  if (isChanged) {
    const metadata = { ...deployment.metadata, annotations }
    await client.resource(deployments).updateStatus({ ...deployment, metadata, status })
  }
  return checkMs === undefined ? done : again(checkMs, 'its progress is due')
}

async function update(
  set: PlannedSet,
  stored: Stored<ReplicaSet>,
  deployment: Stored<Deployment>,
  { client, event, signal }: KeyContext,
): Promise<void> {
  await client.resource(replicaSets).update(writtenSet(stored, set), {}, signal)
  for (const each of set.events) event(deployment, each)
}

async function remove(set: Stored<ReplicaSet>, { client, signal }: KeyContext): Promise<void> {
  try {
    await client.resource(replicaSets).delete(set, { unchanged: true }, signal)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
}

/** Creates a set; gives how the run ends if that is refused. */
async function create(
  set: PlannedSet,
  deployment: Stored<Deployment>,
  context: KeyContext,
): Promise<Outcome | undefined> {
  const { client, event, signal } = context
  try {
    await client.resource(replicaSets).create(writtenSet(set.object, set), {}, signal)
    for (const each of set.events) event(deployment, each)
    return undefined
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    if (error.reason === 'AlreadyExists') return resolveCollision(set, deployment, context)
    if (isNamespaceTerminating(error)) return done
    return tellRefused(set, error, deployment, context)
  }
}

/** A set of that name which is its own will do; else the next one has another name. */
async function resolveCollision(
  set: PlannedSet,
  deployment: Stored<Deployment>,
  { client, signal }: KeyContext,
): Promise<Outcome> {
  const { namespace, uid } = deployment.metadata
  const found = await client.resource(replicaSets).get({ namespace, name: set.name }, signal)
  const isOwn =
    controllerOf(found)?.uid === uid &&
    isSameTemplate(found.spec?.template, deployment.spec?.template)
  if (!isOwn) {
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
    const status = { ...deployment.status, collisionCount }
    await client.resource(deployments).updateStatus({ ...deployment, status })
  }
  return again(0, 'a replica set of that name is there')
}

async function tellRefused(
  { name }: PlannedSet,
  error: StatusError,
  deployment: Stored<Deployment>,
  { client, clock, event }: KeyContext,
): Promise<Outcome> {
  const reason = 'ReplicaSetCreateError'
  const message = `Failed to create new replica set "${name}": ${error.message}`
  event(deployment, { type: 'Warning', reason, message })
  if (progressDeadlineOf(deployment) !== undefined) {
    const told = { type: 'Progressing', status: 'False', reason, message } as const
    const { conditions: before = [] } = deployment.status ?? {}
    const conditions = withCondition(before, told, clock.now())
    if (conditions !== before)
      await client
        .resource(deployments)
        .updateStatus({ ...deployment, status: { ...deployment.status, conditions } })
  }
  return failed(error)
}
