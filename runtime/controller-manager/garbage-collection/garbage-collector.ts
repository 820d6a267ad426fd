import type { OwnerReference } from '../../../generated/apis/meta/v1/object-meta.ts'
import type { Client, Key } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import { allowListeners } from '../../kernel/async/abort-signal.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf, type Stored } from '../../kernel/meta/object.ts'
import { Recent } from '../../kernel/values/recent.ts'
import type { Counter, Metrics } from '../../observe/observe.ts'
import {
  again,
  done,
  type EventSource,
  failed,
  type KeyContext,
  type KeyController,
  type Outcome,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { discoveryKey, discoveryMs, FollowedKinds, patienceMs } from '../contract/followed-kinds.ts'
import { decideItem, dependentsFinalizers, type ItemPlan, type OwnerState } from './decide-item.ts'
import { followedKinds } from './followed-kinds.ts'
import {
  type Item,
  itemIndexes,
  itemKey,
  OwnerGraph,
  ownerOfKey,
  waitsForDependents,
} from './owner-graph.ts'
import { OwnKeys, PendingDependents } from './pending-dependents.ts'
import { replaceList } from './replace-list.ts'

/** When an object is looked at again whose owner is of a kind that is not served. */
const unknownMs = 30_000

/** After so long comes the next turn of an owner's dependents, behind those of others. */
const nextTurnMs = 1

/** So many owners that are not there, or left their dependents, are remembered: uids never come back. */
const remembered = 500

/**
 * Deletes objects whose owners are gone, and lets go those that wait for their dependents. An object is deleted only
 * if it still is what was looked at, and only if the server says that none of its owners is there.
 *
 *   reads    metadata of every kind that can be listed, watched and deleted, but for events
 *   writes   the same: delete, owner references, the finalizers `foregroundDeletion` and `orphan`; Event
 *   wakes    when an object that has owners or dependents changes or goes, and when kinds come and go
 *   settles  when every object with owners has one that stays, and none waits whose dependents are gone
 */
export async function garbageCollectorController({
  name,
  concurrency = 20,
  configuration,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const { EnableGarbageCollector, GCIgnoredResources } = configuration.GarbageCollectorController
  if (!EnableGarbageCollector) return []
  const collector = new Collector(GCIgnoredResources, concurrency, metrics)
  return [
    {
      name,
      seeds: [discoveryKey],
      concurrency: concurrency + 1,
      timeoutMs: 2 * patienceMs,
      sources: [collector.woken],
      reconcile(key, context) {
        if (key.namespace === undefined) return collector.discover(context)
        const owner = ownerOfKey(key)
        return owner === undefined
          ? collector.collect(key, context)
          : collector.collectDependents(owner, context)
      },
    },
  ]
}

type DeletePlan = Extract<ItemPlan, { is: 'delete' }>

/** What the server has under the name of an owner; undefined for nothing. */
type Answer = Stored<ApiObject> | undefined

class Collector {
  readonly #graph = new OwnerGraph()
  readonly #ignored: Parameters<typeof followedKinds>[1]
  readonly #kinds = new FollowedKinds({
    watch: (kind) => {
      const keysOf = (object: Stored<ApiObject>) => this.#keysOf({ kind, object })
      const scope = { metadataOnly: true, indexes: itemIndexes }
      return isAboutKinds(kind)
        ? { keys: (object) => [...keysOf(object), discoveryKey], scope }
        : { keys: keysOf, scope: { ...scope, fields: decidingFields } }
    },
    filled: (kind, cache) => this.#graph.add(kind, cache),
    gone: (kind) => this.#graph.remove(kind),
  })
  /** Owners that are not there, with the namespace in which they are instead. */
  readonly #absent = new Recent<string | undefined>(remembered)
  /** What the server is being asked. */
  readonly #asked = new Map<string, Promise<Answer>>()
  /** The uids of owners that left their dependents. */
  readonly #orphaning = new Recent<true>(remembered)
  /** The uids of objects whose deletion is asked for: a cache may show them as they were for a moment. */
  readonly #deleting = new Recent<true>(remembered)

  readonly #pending: PendingDependents
  readonly #woken = new OwnKeys()
  readonly #discoveryErrors: Counter

  constructor(ignored: Parameters<typeof followedKinds>[1], width: number, metrics: Metrics) {
    this.#ignored = ignored
    this.#pending = new PendingDependents(width)
    this.#discoveryErrors = metrics.counter(
      'garbagecollector_controller_resources_sync_error_total',
    )
    this.#discoveryErrors.add([], 0)
  }

  /** Dependents that could not be settled in their owner's turn: each has a key, and with it a pace, of its own. */
  get woken(): EventSource {
    return this.#woken.source
  }

  /** Watches the kinds that are served now, and no others. */
  async discover(context: KeyContext): Promise<Outcome> {
    const served = await context.client.kinds(context.signal).catch((error: unknown) => {
      this.#discoveryErrors.add([])
      throw error
    })
    this.#graph.serve(served)
    await this.#kinds.follow(followedKinds(served, this.#ignored), context)
    return again(discoveryMs)
  }

  /** Does what is to be done about one object. */
  async collect(key: Key, context: KeyContext): Promise<Outcome> {
    await this.#kinds.ready(context.signal)
    return this.#collectOne(key, context)
  }

  async #collectOne(key: Key, context: KeyContext): Promise<Outcome> {
    const item = this.#graph.find(key)
    if (item === undefined) return done
    const { object } = item
    const { ownerReferences = [], deletionTimestamp } = object.metadata
    const owners =
      deletionTimestamp === undefined
        ? await Promise.all(ownerReferences.map((one) => this.#stateOf(one, item, context)))
        : []
    const plan = decideItem({ item: object, owners, dependents: this.#graph.dependentsOf(item) })
    return this.#carryOut(plan, item, context)
  }

  /** Does what is to be done about some of the dependents of an owner; the others come in its next turns. */
  async collectDependents(uid: string, context: KeyContext): Promise<Outcome> {
    await this.#kinds.ready(context.signal)
    allowListeners(context.signal)
    const turn = this.#pending.next(uid, () => this.#graph.stayingDependentsOf(uid).map(itemKey))
    await Promise.all(
      turn.keys.map(async (key) => {
        const outcome = await this.#collectOne(key, context).catch(failed)
        if (outcome.is !== 'done') this.#woken.add(key)
      }),
    )
    return turn.over() ? again(nextTurnMs, 'other dependents are left') : done
  }

  #keysOf(item: Item): readonly Key[] {
    const keys = this.#graph.keysOf(item)
    for (const owner of keys.map(ownerOfKey)) if (owner !== undefined) this.#pending.renew(owner)
    return keys
  }

  /** What a reference leads to: caches say what is there, the server what is not. */
  async #stateOf(reference: OwnerReference, item: Item, context: KeyContext): Promise<OwnerState> {
    if (this.#orphaning.has(reference.uid)) return 'orphaning'
    const { namespace } = objectKey(item.object)
    const kind = this.#graph.kindOf(reference)
    if (kind === undefined) return 'unknown'
    if (namespace === undefined && kind.scope === 'Namespaced') {
      if (this.#graph.namespaceOf(reference) !== undefined)
        this.#tellMisplaced(reference, item, context)
      return 'misplaced'
    }
    const known = this.#graph.ownerOf(reference, namespace)
    if (known !== undefined) return waitsForDependents(known.object) ? 'waiting' : 'solid'
    const home = kind.scope === 'Cluster' ? undefined : namespace
    const absent = `${apiVersionOf(kind)} ${kind.kind} ${home ?? ''}/${reference.name} ${reference.uid}`
    if (!this.#absent.has(absent)) {
      const owner = await this.#ask(absent, () =>
        ownerAt(context.client, kind, home, reference.name, context.signal),
      )
      if (owner !== undefined && owner.metadata.uid === reference.uid) {
        return waitsForDependents(owner) ? 'waiting' : 'solid'
      }
      // A cache may have it still where the server says that it is gone: that is not elsewhere.
      const there = this.#graph.namespaceOf(reference)
      this.#absent.set(absent, there === home ? undefined : there)
    }
    if (this.#absent.find(absent) !== undefined) this.#tellMisplaced(reference, item, context)
    return 'absent'
  }

  /** An answer of the server serves all who ask the same meanwhile: the dependents of an owner come at once. */
  #ask(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asked = this.#asked.get(question)
    if (asked !== undefined) return asked
    const answer = ask().finally(() => this.#asked.delete(question))
    this.#asked.set(question, answer)
    return answer
  }

  #tellMisplaced(
    { apiVersion, kind, name, uid }: OwnerReference,
    item: Item,
    { event }: KeyContext,
  ): void {
    const namespace = objectKey(item.object).namespace ?? ''
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
    const object = { ...item.object, apiVersion: apiVersionOf(item.kind), kind: item.kind.kind }
    event(object, {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`,
    })
  }

  async #carryOut(plan: ItemPlan, item: Item, context: KeyContext): Promise<Outcome> {
    const { client } = context
    try {
      if (plan.is === 'later') return again(unknownMs, 'an owner is of a kind that is not served')
      if (plan.is === 'release')
        await patchOwners(client, item, (one) => !plan.uids.includes(one.uid))
      if (plan.is === 'finish') await removeFinalizer(client, item, dependentsFinalizers.foreground)
      if (plan.is === 'orphan') await this.#orphan(item, client)
      if (plan.is === 'delete') await this.#delete(item, plan, client)
      return done
    } catch (error) {
      if (isStatus(error, 'NotFound')) return done
      if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
      throw error
    }
  }

  /** Asks for the deletion of an object once, whichever of its owners led to it. */
  async #delete(item: Item, plan: DeletePlan, client: Client): Promise<void> {
    const { uid } = item.object.metadata
    if (this.#deleting.has(uid)) return
    this.#deleting.set(uid, true)
    try {
      await deleteItem(client, item, plan)
    } catch (error) {
      this.#deleting.delete(uid)
      throw error
    }
  }

  /** The dependents lose their owner before it may go, those that appear later when they do. */
  async #orphan(item: Item, client: Client): Promise<void> {
    const { uid } = item.object.metadata
    this.#orphaning.set(uid, true)
    const dependents = this.#graph.referringTo(uid)
    const released = await Promise.allSettled(
      dependents.map((each) => patchOwners(client, each, (one) => one.uid !== uid)),
    )
    const failed = released.find(
      (one) => one.status === 'rejected' && !isStatus(one.reason, 'NotFound'),
    )
    if (failed?.status === 'rejected') throw failed.reason
    await removeFinalizer(client, item, dependentsFinalizers.orphan)
  }
}

/** What of an object says what is to be done about it, beside whether it is being deleted. */
const decidingFields = ['metadata.ownerReferences', 'metadata.finalizers'] as const

/** True for kinds whose objects say which kinds are served. */
function isAboutKinds({ plural }: AnyKind): boolean {
  return plural === 'customresourcedefinitions' || plural === 'apiservices'
}

async function ownerAt(
  client: Client,
  kind: AnyKind,
  namespace: string | undefined,
  name: string,
  signal: AbortSignal,
): Promise<Answer> {
  const resource = client.resource<ApiObject>(kind)
  return (namespace === undefined ? resource : resource.in(namespace)).find(name, signal)
}

/** Keeps some of the owner references of an object, unless they have changed since. */
function patchOwners(
  client: Client,
  item: Item,
  stays: (reference: OwnerReference) => boolean,
): Promise<void> {
  const kept = item.object.metadata.ownerReferences?.filter(stays) ?? []
  return replaceList(client, item, 'ownerReferences', kept)
}

function removeFinalizer(client: Client, item: Item, finalizer: string): Promise<void> {
  const kept = item.object.metadata.finalizers?.filter((one) => one !== finalizer) ?? []
  return replaceList(client, item, 'finalizers', kept)
}

async function deleteItem(
  client: Client,
  { kind, object }: Item,
  { propagationPolicy, unblock = false }: DeletePlan,
): Promise<void> {
  const resource = client.resource<ApiObject>(kind)
  if (!unblock) {
    await resource.delete(object, { propagationPolicy, unchanged: true })
    return
  }
  const references = object.metadata.ownerReferences?.map((one) => ({
    ...one,
    blockOwnerDeletion: false,
  }))
  await replaceList(client, { kind, object }, 'ownerReferences', references ?? [])
  await resource.delete(object, { propagationPolicy })
}
