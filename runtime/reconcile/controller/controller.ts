import type { Key } from '../../client/client.ts'
import type { AnyKind, Kind, ScalableKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { EventFacts } from '../../recorder/recorder.ts'
import type { Cluster } from './cluster.ts'
import type { ClientOf, EnsureOf, StatusOfFields } from './declared-types.ts'
import type { EventSource } from './event-source.ts'
import type { ControllerQueue, KeyContext, WakeScope, Watch } from './key-controller.ts'
import type { Outcome } from './outcome.ts'
import type { Owned } from './owned.ts'
import type { Written } from './writing.ts'

/** What a run over an object works with. `cached` knows the kinds that the controller is for, owns or watches. */
export interface Context<T extends ApiObject, W = Written, O = AnyKind | Owned>
  extends Omit<KeyContext, 'client'> {
  /** Reads and writes at the server of the object's cluster: of a kind whose fields are declared, these fields. */
  readonly client: ClientOf<W, O>
  /** Records what was done to this object, or to another one: see `KeyContext.event`. */
  event(event: EventFacts): void
  event(object: Stored<ApiObject>, event: EventFacts): void
  /** The cached objects of an owned kind whose controller is this object. */
  owned<K extends ApiObject>(kind: Kind<K>): readonly Stored<K>[]
  /** Makes an owned object have the fields of a draft: see `Ensure`. */
  readonly ensure: EnsureOf<W>
  /**
   * Writes the object's status, unless it says so already.
   *
   * @throws StatusError `Conflict` if the object has changed since: the run is repeated with what it is now.
   */
  setStatus(status: StatusOfFields<T, W>): Promise<void>
}

/** What has to be undone before an object may go. */
export interface Cleanup<T extends ApiObject, W = Written, O = AnyKind | Owned> {
  /** The finalizer that holds the object meanwhile: `<domain>/<word>`. */
  readonly finalizer: string
  /** Only `done` lets the object go. */
  run(object: Stored<T>, context: Context<T, W, O>): Promise<Outcome>
}

/**
 * A control loop over the objects of one kind.
 *
 * It is told which object to look at, never what happened to it, and brings the world to what the object says. One object
 * is reconciled by one worker at a time.
 */
export interface Controller<
  T extends ApiObject = ApiObject,
  W extends Written = Written,
  O extends AnyKind | Owned = AnyKind | Owned,
  N extends string = string,
> {
  /** Names the controller in logs and metrics. */
  readonly name: N
  /** The kind whose objects it reconciles. */
  readonly for: Kind<T>
  /** The clusters whose objects it reconciles. Default: all of its manager's. */
  readonly clusters?: (cluster: Cluster) => boolean
  /** Kinds whose objects this controller makes: a change to one wakes its owner. `owning` says which of them, and which changes. */
  readonly owns?: readonly O[]
  /** Which objects of its kind it is for, and which of their changes wake it. Default: all of them, and any. */
  readonly scope?: WakeScope<T>
  /** Further kinds whose changes wake it: see `watching`. */
  readonly watches?: readonly Watch[]
  /**
   * Further kinds that it reads through `client`, beside the kinds that it is for, owns and watches. What a controller reads and
   * writes is what its service account is allowed.
   */
  readonly reads?: readonly AnyKind[]
  /**
   * Further kinds that it writes through `client`, and may read. `writing` says which fields of a kind it writes, if not all: they are its
   * own among the controllers of a manager. That goes for the kind that it is for, and for those that it owns, too.
   */
  readonly writes?: readonly W[]
  /** Further kinds whose scale it writes, and no other part of them. */
  readonly scales?: readonly ScalableKind[]
  /** What has to be undone before an object may go. Default: nothing. */
  readonly cleanup?: Cleanup<T, W, O>
  /**
   * Runs when the object is gone that a change names: for a controller that leaves nothing behind which has to be undone for sure, since
   * a program that does not run then never hears of it. `cleanup` is for the rest.
   */
  deleted?(key: Key, context: KeyContext): Promise<Outcome>
  /** Events from elsewhere that wake objects: see `every` and `EventSource`. */
  readonly sources?: readonly EventSource[]
  /** Milliseconds after a run that was done when the object is looked at again, give or take a fifth. Default: never. */
  readonly resyncMs?: number
  /** How its queue waits, in place of what the manager says. */
  readonly queue?: ControllerQueue
  /** Runs at a time, over different objects. Default 4. */
  readonly concurrency?: number
  /**
   * Milliseconds that one run may take before its signal aborts, counted anew from each write that the server answered, and ten times as many
   * in all. Default one minute.
   */
  readonly timeoutMs?: number
  /**
   * Brings the world to what `object` says. Gives `done`, `again(ms)`, `failed(error)` or `terminal(why)`; to throw is to
   * fail. It may run at any time, and twice: what it does must be right however often it does it.
   */
  reconcile(object: Stored<T>, context: Context<T, W, O>): Promise<Outcome>
}

/** A controller whatever its object type: what a manager holds. */
// biome-ignore lint/suspicious/noExplicitAny: Controller is invariant in its object type
export type AnyController = Controller<any>

/**
 * Declares a controller; nothing runs before a manager runs it.
 *
 * @example
 * const controller = defineController({
 *   name: 'website',
 *   for: websites,
 *   owns: [configMaps],
 *   async reconcile(website, { ensure, setStatus }) {
 *     const { name } = website.metadata
 *     await ensure(configMaps, { metadata: { name }, data: pagesOf(website) })
 *     await setStatus({ observedGeneration: website.metadata.generation })
 *     return done
 *   },
 * })
 */
export function defineController<
  T extends ApiObject,
  const W extends Written = Written,
  const O extends AnyKind | Owned = AnyKind | Owned,
  const N extends string = string,
>(controller: Controller<T, W, O, N>): Controller<T, W, O, N> {
  return controller
}
