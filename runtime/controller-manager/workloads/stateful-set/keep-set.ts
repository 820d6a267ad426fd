import {
  type StatefulSetStatus,
  statefulSets,
} from '../../../../generated/apis/apps/v1/stateful-set.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, type PodTemplateSpec, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  again,
  controllerOf,
  done,
  failed,
  type KeyContext,
  type Outcome,
} from '../../../reconcile/reconcile.ts'
import { claim, claimable, settleClaim } from '../../pods/claim.ts'
import { nextAvailableMs } from '../../pods/pod-state.ts'
import { nextTurn, type SlowStarts } from '../../pods/slow-start.ts'
import { decideRevision, type Revision, surplusRevisions } from '../revisions/decide-revision.ts'
import { revisionData, templateOf } from '../revisions/revision-data.ts'
import { claimRevisions, deleteRevisions, settleRevision } from '../revisions/revision-history.ts'
import { carryOut } from './carry-out.ts'
import { decideSet, type SetOptions } from './decide-stateful-set.ts'
import { parsePodName, type StoredSet } from './set-names.ts'
import { revisionOf } from './set-pods.ts'
import { differs, setStatus } from './set-status.ts'

/** Brings the pods of a set one step nearer to what it says, and its status to what they are. */
export async function keepSet(
  set: StoredSet,
  options: SetOptions,
  context: KeyContext & { readonly starts: SlowStarts },
): Promise<Outcome> {
  const { cached, clock, starts } = context
  const stored = await claimRevisions(set, statefulSets, context)
  await claimPods(set, context)
  const revisions = await keepRevisions(set, stored, options, context)
  const { current, update } = revisions
  const names = { current: current.metadata.name, update: update.metadata.name }
  const { namespace } = set.metadata
  const claimOf = (name: string) => cached(persistentVolumeClaims).get({ name, namespace })
  const observed = { set, pods: ownPods(set, context), claimOf, ...names }
  const plan = decideSet(observed, clock.now(), options)
  const templates = { current: templateIn(current, set), update: templateIn(update, set) }
  const { error, paused } = await carryOut(plan, { set, templates, options, starts, context })
  const own = ownPods(set, context)
  const { collisions } = revisions
  await writeStatus(set, setStatus(set, own, { ...names, collisions }, clock.now()), context)
  const live = new Set([names.current, names.update, ...own.map(revisionOf)])
  const unused = stored.filter(({ metadata }) => !live.has(metadata.name))
  await deleteRevisions(surplusRevisions(unused, set.spec?.revisionHistoryLimit ?? 10), context)
  if (error !== undefined) return isStatus(error, 'Conflict') ? again(0) : failed(error)
  if (paused) return nextTurn
  const next = nextAvailableMs(own, set.spec?.minReadySeconds ?? 0, clock.now())
  return next === undefined ? done : again(next)
}

/** Adopts pods that the set selects and that are called like its own, and lets go those that it does not select. */
async function claimPods(set: StoredSet, { client, cached, signal }: KeyContext): Promise<void> {
  const selector = set.spec?.selector
  const where = (pod: Stored<Pod>) => parsePodName(pod.metadata.name)?.parent === set.metadata.name
  const claimed = claim(claimable(cached(pods), set), { owner: set, selector, where })
  await settleClaim(claimed, { client, kind: pods, owner: set, ownerKind: statefulSets, signal })
}

/** The pods that the set controls, as the cache shows them now. */
function ownPods({ metadata }: StoredSet, { cached }: KeyContext): readonly Stored<Pod>[] {
  const found = cached(pods).index('controller', metadata.uid)
  return found.filter((pod) => controllerOf(pod)?.uid === metadata.uid)
}

/** The revision that pods have, the one that they are to have, and how often a name was taken. */
interface KeptRevisions {
  readonly current: Revision
  readonly update: Revision
  readonly collisions: number
}

async function keepRevisions(
  set: StoredSet,
  stored: readonly Revision[],
  { domain }: SetOptions,
  context: KeyContext,
): Promise<KeptRevisions> {
  const data = revisionData(set.spec?.template ?? {})
  const plan = decideRevision(stored, data)
  const hashLabel = `controller.${domain}/hash`
  let collisions = set.status?.collisionCount ?? 0
  let update: Revision | undefined
  while (update === undefined) {
    update = await settleRevision(set, plan, { data, collisions, hashLabel }, context)
    if (update === undefined) collisions++
  }
  const current = stored.find(({ metadata }) => metadata.name === set.status?.currentRevision)
  return { current: current ?? update, update, collisions }
}

function templateIn(revision: Revision, { spec }: StoredSet) {
  const template = templateOf(revision) ?? (spec?.template as PodTemplateSpec)
  return { template, revision: revision.metadata.name }
}

async function writeStatus(
  set: StoredSet,
  status: StatefulSetStatus,
  { client, signal }: KeyContext,
): Promise<void> {
  if (differs(status, set)) {
    await client.resource(statefulSets).updateStatus({ ...set, status }, {}, signal)
  }
}
