import type { Authorizer } from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Log, Metrics } from '../../observe/observe.ts'
import type { ServiceResolver } from '../../webhook/webhook.ts'
import type { PluginSettings } from '../plugins/settings.ts'

/** A stored object; the same value as long as it is the same version, so that it may key a memo. */
export interface StoredObject {
  object(): ApiObject
}

/** What plugins may read. */
export interface Lister {
  /** One object as memory has it. */
  peek(kind: AnyKind, name: string, namespace?: string): StoredObject | undefined
  /** One object: from memory if it is there, else from the store, so that what was just made is found. */
  find(kind: AnyKind, name: string, namespace?: string): Promise<StoredObject | undefined>
  /**
   * All objects of a kind as memory has them, in order of their names. Of a version that somebody else's program converts
   * to, those that have been converted since they were written come in that version, the others as they are stored: it
   * asks nobody.
   */
  list(kind: AnyKind, namespace?: string): readonly StoredObject[]
}

/** What plugins may write: the status of one object, without being admitted themselves. */
export interface StatusWriter {
  /** Repeats `to` until no other write comes between; undefined from it, or a missing object, writes nothing. */
  changeStatus(
    kind: AnyKind,
    place: { readonly namespace?: string; readonly name: string },
    to: (object: ApiObject) => ApiObject | undefined,
  ): Promise<void>
}

/** Gives an object in another version of its kind; a promise where a webhook converts. */
export type Converter = (object: ApiObject, from: AnyKind, to: AnyKind) => Awaitable<ApiObject>

/** Everything a plugin works with. */
export interface PluginContext {
  readonly scheme: Scheme
  readonly clock: Clock
  readonly random: Random
  readonly uid: () => string
  readonly gates: EnabledGates
  readonly log: Log
  /** Where the time of plugins and webhooks is counted. */
  readonly metrics: Metrics
  readonly lister: Lister
  readonly writer: StatusWriter
  readonly convert: Converter
  readonly authorizer: Authorizer
  readonly resolve: ServiceResolver
  readonly settings: PluginSettings
}

/** The served resource of a collection path such as `api/v1/pods`: of several words, so that no prototype has it. */
export function servedKind(
  { scheme }: Pick<PluginContext, 'scheme'>,
  path: string,
): AnyKind | undefined {
  return scheme.routes[path]
}

/** All objects of a collection path; none where it is not served. */
export function listObjects(
  world: PluginContext,
  path: string,
  namespace?: string,
): readonly ApiObject[] {
  const kind = servedKind(world, path)
  return kind === undefined ? [] : world.lister.list(kind, namespace).map((one) => one.object())
}

/** True if memory has an object at a collection path. */
export function hasObjects(world: PluginContext, path: string): boolean {
  const kind = servedKind(world, path)
  return kind !== undefined && world.lister.list(kind).length > 0
}

/** Looks at one object: at once if memory has it, else when the store has answered. */
export function withStoredObject<T>(
  { lister }: Pick<PluginContext, 'lister'>,
  kind: AnyKind,
  name: string,
  namespace: string | undefined,
  look: (found: StoredObject | undefined) => T,
): Awaitable<T> {
  const known = lister.peek(kind, name, namespace)
  return known === undefined ? lister.find(kind, name, namespace).then(look) : look(known)
}

/** One object of a collection path; undefined where it is not there. */
export async function getObject(
  world: PluginContext,
  path: string,
  name: string,
  namespace?: string,
): Promise<ApiObject | undefined> {
  const kind = servedKind(world, path)
  return kind && (await world.lister.find(kind, name, namespace))?.object()
}
