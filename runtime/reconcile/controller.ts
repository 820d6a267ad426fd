import type { Client, Draft, Key } from '../client/client.ts'
import type { CacheReader } from '../informer/informer.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { AnyKind, Kind } from '../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import type { Outcome } from './outcome.ts'

/** The type of an object's status. */
export type StatusOf<T extends ApiObject> = T extends { readonly status?: infer S } ? S : never

/** What a run works with. Everything in it ends with `signal`: at the run's deadline, or on shutdown. */
export interface Context<T extends ApiObject> {
  /** Reads and writes at the server. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** The cache of a kind that the controller is for, owns or watches. */
  cached<K extends ApiObject>(kind: Kind<K>): CacheReader<K>
  /** The cached objects of an owned kind whose controller is this object. */
  owned<K extends ApiObject>(kind: Kind<K>): readonly Stored<K>[]
  /**
   * Makes an owned object be as the draft says, and writes only if it is not. What the draft names at the top (`spec`,
   * `data`) is replaced whole, labels and annotations are added, the rest stays. Fails `Conflict` if an object of that
   * name exists and is not owned by this one.
   */
  ensure<K extends ApiObject>(kind: Kind<K>, draft: Draft<K>): Promise<Stored<K>>
  /** Writes the object's status, unless it says so already. Fails `Conflict` if the object has changed since. */
  setStatus(status: StatusOf<T>): Promise<void>
}

/** Further objects that wake a controller, and the keys of the objects they wake. */
export interface Watch {
  readonly kind: AnyKind
  readonly keys: (object: Stored<ApiObject>) => readonly Key[]
}

/** What has to be undone before an object may go. */
export interface Cleanup<T extends ApiObject> {
  /** The finalizer that holds the object meanwhile: `<domain>/<word>`. */
  readonly finalizer: string
  /** Only `done` lets the object go. */
  run(object: Stored<T>, context: Context<T>): Promise<Outcome>
}

/** A control loop over the objects of one kind. */
export interface Controller<T extends ApiObject = ApiObject> {
  /** Names the controller in logs and counters. */
  readonly name: string
  readonly for: Kind<T>
  /** Kinds whose objects this controller makes: a change to one wakes its owner. */
  readonly owns?: readonly AnyKind[]
  readonly watches?: readonly Watch[]
  readonly cleanup?: Cleanup<T>
  /** Runs at a time, over different objects. Default 4. */
  readonly concurrency?: number
  /** How long one run may take before its signal aborts. Default one minute. */
  readonly timeoutMs?: number
  reconcile(object: Stored<T>, context: Context<T>): Promise<Outcome>
}

/** A controller whatever its object type: what a manager holds. */
// biome-ignore lint/suspicious/noExplicitAny: Controller is invariant in its object type
export type AnyController = Controller<any>

/** Declares a controller; nothing runs before a manager runs it. */
export function defineController<T extends ApiObject>(controller: Controller<T>): Controller<T> {
  return controller
}

/** Wakes a controller when objects of `kind` change: `keys` says which of its own objects. */
export function watching<K extends ApiObject>(
  kind: Kind<K>,
  keys: (object: Stored<K>) => readonly Key[],
): Watch {
  return { kind, keys: keys as Watch['keys'] }
}
