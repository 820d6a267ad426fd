import { controllerRevisions } from '../../../../generated/apis/apps/v1/controller-revision.ts'
import { type DaemonSetStatus, daemonSets } from '../../../../generated/apis/apps/v1/daemon-set.ts'
import { nodes } from '../../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
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
import { createPod } from '../../pods/create-pod.ts'
import { nextAvailableMs } from '../../pods/pod-state.ts'
import { nextTurn, type SlowStarts } from '../../pods/slow-start.ts'
import { decideRevision, type Revision, surplusRevisions } from '../revisions/decide-revision.ts'
import { revisionData } from '../revisions/revision-data.ts'
import { claimRevisions, deleteRevisions, settleRevision } from '../revisions/revision-history.ts'
import { daemonSpec, hashLabel, podForNode, type StoredDaemonSet } from './daemon-pod.ts'
import { daemonStatus, differs } from './daemon-status.ts'
import {
  type DaemonPlan,
  decidePods,
  decideUpdate,
  type ObservedDaemonSet,
} from './decide-daemon-set.ts'
import type { FailedPods } from './failed-pods.ts'
import { fitOf } from './node-fit.ts'

/** So many pods come at most in one run, and go. */
const burst = 250

/** What a daemon set is kept with. */
export interface KeepOptions {
  /** The suffix of the keys of taints. */
  readonly domain: string
  readonly failedPods: FailedPods
  readonly starts: SlowStarts
}

/** Brings the pods of a daemon set one step nearer to what it says, and its status to what they are. */
export async function keepDaemonSet(
  set: StoredDaemonSet,
  options: KeepOptions,
  context: KeyContext,
): Promise<Outcome> {
  const { clock } = context
  const revisions = await keepRevisions(set, context)
  if (revisions === undefined) return again(0, 'the name of a revision is taken')
  const hash = revisions.latest.metadata.labels?.[hashLabel] ?? ''
  await claimPods(set, context)
  const before = observe(set, hash, options, context)
  const plan = decidePods(before, clock.now())
  tellFinished(set, plan, options, context)
  let { error, paused } = await carryOut(plan, before, options, context)
  if (error === undefined && !paused) {
    const between = observe(set, hash, options, context)
    const update = decideUpdate(between, clock.now())
    ;({ error, paused } = await carryOut(update, between, options, context))
  }
  if (error === undefined && !paused) await truncate(set, revisions.old, context)
  const after = observe(set, hash, options, context)
  const status = daemonStatus(after, clock.now())
  if (differs(status, set)) {
    await context.client.resource(daemonSets).updateStatus({ ...set, status }, {}, context.signal)
  }
  if (error !== undefined) return failed(error)
  if (paused) return nextTurn
  const ready = nextAvailableMs(after.pods, set.spec?.minReadySeconds ?? 0, clock.now())
  const due = [ready, plan.dueMs].flatMap((ms) => ms ?? [])
  return due.length === 0 ? done : again(Math.min(...due))
}

function observe(
  set: StoredDaemonSet,
  hash: string,
  { domain, failedPods }: KeepOptions,
  { cached, clock }: KeyContext,
): ObservedDaemonSet {
  const { uid } = set.metadata
  const spec = daemonSpec(set.spec?.template.spec ?? { containers: [] }, domain)
  const own = cached(pods).index('controller', uid)
  return {
    ...{ set, hash, nodes: cached(nodes).list() },
    pods: own.filter((pod) => controllerOf(pod)?.uid === uid),
    fitOf: (node) => fitOf(spec, node),
    waitMs: (node) => failedPods.waitMs(set, node, clock.now()),
  }
}

async function claimPods(set: StoredDaemonSet, context: KeyContext): Promise<void> {
  const { client, cached, signal } = context
  const found = claimable(cached(pods), set)
  const claimed = claim(found, { owner: set, selector: set.spec?.selector })
  await settleClaim(claimed, { client, kind: pods, owner: set, ownerKind: daemonSets, signal })
}

/** The revision of the present template, and those of older ones; undefined if its name is taken. */
async function keepRevisions(set: StoredDaemonSet, context: KeyContext) {
  const { client, signal } = context
  const stored = await Promise.all(
    (await claimRevisions(set, daemonSets, context)).map((one) => labelled(one, context)),
  )
  const data = revisionData(set.spec?.template ?? {})
  const plan = decideRevision(stored, data)
  const collisions = set.status?.collisionCount ?? 0
  const latest = await settleRevision(set, plan, { data, collisions, hashLabel }, context)
  if (latest === undefined) {
    const status = { ...set.status, collisionCount: collisions + 1 } as DaemonSetStatus
    await client.resource(daemonSets).updateStatus({ ...set, status }, {}, signal)
    return undefined
  }
  if (plan.duplicates.length > 0) await mergeDuplicates(set, latest, plan.duplicates, context)
  const same = [latest, ...plan.duplicates].map(({ metadata }) => metadata.name)
  return { latest, old: stored.filter(({ metadata }) => !same.includes(metadata.name)) }
}

/** A revision that has its hash as a label: one without has its name. */
async function labelled(revision: Revision, { client, signal }: KeyContext): Promise<Revision> {
  const { labels, name } = revision.metadata
  if (labels?.[hashLabel] !== undefined) return revision
  const metadata = { ...revision.metadata, labels: { ...labels, [hashLabel]: name } }
  return client.resource(controllerRevisions).update({ ...revision, metadata }, {}, signal)
}

/** Of revisions that store the same one stays, and pods are of that one. */
async function mergeDuplicates(
  { metadata }: StoredDaemonSet,
  latest: Revision,
  duplicates: readonly Revision[],
  { client, cached, signal }: KeyContext,
): Promise<void> {
  const hash = latest.metadata.labels?.[hashLabel] ?? ''
  const theirs = new Set(duplicates.map((one) => one.metadata.labels?.[hashLabel] ?? ''))
  for (const pod of cached(pods).index('controller', metadata.uid)) {
    if (!theirs.has(pod.metadata.labels?.[hashLabel] ?? '')) continue
    const { name, namespace } = pod.metadata
    const patch = { metadata: { labels: { [hashLabel]: hash } } }
    await client.resource(pods).mergePatch({ name, namespace }, patch, {}, signal)
  }
  await deleteRevisions(duplicates, { client, signal })
}

function tellFinished(
  set: StoredDaemonSet,
  { finished }: DaemonPlan,
  { failedPods }: KeepOptions,
  { event, clock }: KeyContext,
): void {
  for (const { pod, node } of finished) {
    const { name, namespace } = pod.metadata
    const hasFailed = pod.status?.phase === 'Failed'
    if (hasFailed) failedPods.replace(set, node, clock.now())
    const [word, what] = hasFailed ? ['failed', 'kill'] : ['succeeded', 'delete']
    event(set, {
      type: hasFailed ? 'Warning' : 'Normal',
      reason: hasFailed ? 'FailedDaemonPod' : 'SucceededDaemonPod',
      message: `Found ${word} daemon pod ${namespace}/${name} on node ${node}, will try to ${what} it`,
    })
  }
}

/** Makes and deletes pods, and tells of each. Gives the first failure, and whether more are to be made in the next turn. */
async function carryOut(
  { create, remove }: DaemonPlan,
  { set, hash }: ObservedDaemonSet,
  { domain, starts }: KeepOptions,
  context: KeyContext,
): Promise<{ readonly error: unknown; readonly paused: boolean }> {
  const coming = create.slice(0, burst)
  const makeOne = (at: number) =>
    createPod(podForNode(set, coming[at]!, hash, domain), set, context)
  const { uid } = set.metadata
  const { error, paused } = await starts.run(uid, coming.length, makeOne, context)
  const gone = await Promise.allSettled(
    remove.slice(0, burst).map((pod) => deletePod(pod, set, context)),
  )
  const failure = gone.find((one) => one.status === 'rejected')
  const refused = failure?.status === 'rejected' ? failure.reason : undefined
  return { error: error ?? refused, paused }
}

async function deletePod(
  pod: Stored<Pod>,
  set: StoredDaemonSet,
  { client, event, signal }: KeyContext,
): Promise<void> {
  try {
    await client.resource(pods).delete(pod, {}, signal)
    const message = `Deleted pod: ${pod.metadata.name}`
    event(set, { type: 'Normal', reason: 'SuccessfulDelete', message })
  } catch (error) {
    if (isStatus(error, 'NotFound') || isStatus(error, 'Conflict')) return
    const message = `Error deleting: ${errorText(error)}`
    event(set, { type: 'Warning', reason: 'FailedDelete', message })
    throw error
  }
}

/** Deletes the oldest revisions that no pod is of, beyond the limit. */
async function truncate(
  set: StoredDaemonSet,
  old: readonly Revision[],
  context: KeyContext,
): Promise<void> {
  const own = context.cached(pods).index('controller', set.metadata.uid)
  const live = new Set(own.map(({ metadata }) => metadata.labels?.[hashLabel]))
  const unused = old.filter(({ metadata }) => !live.has(metadata.labels?.[hashLabel]))
  const limit = (set.spec?.revisionHistoryLimit ?? 10) - (old.length - unused.length)
  await deleteRevisions(surplusRevisions(unused, Math.max(0, limit)), context)
}
