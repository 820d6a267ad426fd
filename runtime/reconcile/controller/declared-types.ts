/** What the types of a run say of fields that its controller declares. */
import type {
  ApplyConfiguration,
  ApplyOptions,
  Client,
  Draft,
  Key,
  MergePatch,
  NamedDraft,
  PatchOptions,
  Resource,
  ScalableResource,
  WriteOptions,
} from '../../client/client.ts'
import type { Kind, ScalableKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, NamedObject, Stored } from '../../kernel/meta/object.ts'
import type { Owned } from './owned.ts'
import type { Writing } from './writing.ts'

/** A kind without its version, as people write it: `Service`, `Deployment.apps`. Never for one that is known only at run time. */
export type TitleOf<T extends ApiObject> = 0 extends 1 & T
  ? never
  : string extends T['kind']
    ? never
    : T['apiVersion'] extends `${infer Group}/${string}`
      ? `${T['kind']}.${Group}`
      : T['kind']

/** The titles of kinds, and of those that a controller owns within a scope. */
export type TitlesOf<D> =
  D extends Kind<infer T> ? TitleOf<T> : D extends Owned<infer T> ? TitleOf<T> : never

/** The titles of kinds of which fields are declared. */
export type TitlesOfFields<W> = W extends Writing<infer T> ? TitleOf<T> : never

/** The fields of `T` that are declared. Never: none are, so that all may be written. */
export type FieldsOf<T extends ApiObject, W> =
  W extends Writing<infer D, infer F>
    ? [TitleOf<D>] extends [never]
      ? never
      : TitleOf<D> extends TitleOf<T>
        ? F
        : never
    : never

/** What says of an object which one it is, and as of when. */
type Identity =
  | 'apiVersion'
  | 'kind'
  | `metadata.${'name' | 'namespace' | 'resourceVersion' | 'uid'}`

/** `T` with nothing in it but fields at the paths `F`. */
export type Only<T, F extends string> = {
  readonly [P in keyof T as P extends FirstOf<F> ? P : never]?: P extends F
    ? T[P]
    : OnlyBelow<NonNullable<T[P]>, Below<F, P & string>, KeyIn<F, P & string>>
}

/** The fields of a struct, or the entries of a map. */
type OnlyBelow<T, F extends string, Keys extends string> = [Keys] extends [never]
  ? Only<T, F>
  : { readonly [P in Keys]?: T[keyof T] }

/** The first steps of paths. */
type FirstOf<F extends string> = F extends `${infer Field}[${string}`
  ? Field extends `${infer First}.${string}`
    ? First
    : Field
  : F extends `${infer First}.${string}`
    ? First
    : F

/** What is left of paths below a field. */
type Below<F extends string, P extends string> = F extends `${P}.${infer Rest}` ? Rest : never

/** The entries of a field that paths name. */
type KeyIn<F extends string, P extends string> = F extends `${P}[${infer Key}]` ? Key : never

/** A draft of fields at the paths `F`. */
export type FieldsDraft<T extends ApiObject, F extends string> = Only<Draft<T>, F | Identity> &
  NamedObject

/** The verbs of a kind of which a controller declares the fields that it writes. What is not among them takes the kind as a whole. */
export interface FieldsResource<T extends ApiObject, F extends string>
  extends Pick<
    Resource<T>,
    'kind' | 'get' | 'find' | 'list' | 'listAll' | 'watch' | 'getSubresource' | 'jsonPatch'
  > {
  /** The same verbs, bound to one namespace. */
  in(namespace: string): FieldsResource<T, F>
  /** See `Resource.updateStatus`: where the status is declared as a whole. */
  readonly updateStatus: 'status' extends F ? Resource<T>['updateStatus'] : never
  /** See `Resource.mergePatch`: of the declared fields. */
  mergePatch(
    key: string | Key,
    patch: Only<MergePatch<T>, F | Identity>,
    options?: PatchOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>
  /** See `Resource.apply`: of the declared fields. */
  apply(
    configuration: Only<ApplyConfiguration<T>, F | Identity> & NamedObject,
    options?: ApplyOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>
}

/** The same, of a kind whose objects can be scaled. */
interface Scaled<T extends ApiObject> extends Pick<ScalableResource<T>, 'scale'> {
  in(namespace: string): Scaled<T>
}

/** The same, of a kind whose objects the controller makes. */
export interface OwnedFieldsResource<T extends ApiObject, F extends string>
  extends FieldsResource<T, F>,
    Pick<Resource<T>, 'delete' | 'deleteCollection'> {
  in(namespace: string): OwnedFieldsResource<T, F>
  /** See `Resource.create`: with the declared fields. */
  create(
    object: FieldsDraft<T, F>,
    options?: WriteOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>
}

/** The client of a controller that declares `W` and owns `O`. */
export type ClientOf<W, O> = [TitlesOfFields<W>] extends [never] ? Client : FieldsClient<W, O>

/** A client that shows, of kinds whose fields are declared, no others. */
type FieldsClient<W, O> = { readonly resource: Each<ResourceSignature<W, TitlesOf<O>>> } & Client

/** One overload for each member of a union. */
type Each<S> = (S extends unknown ? (one: S) => void : never) extends (all: infer All) => void
  ? All
  : never

type ResourceSignature<W, Owns> =
  W extends Writing<infer T, infer F>
    ? TitleOf<T> extends never
      ? never
      : TitleOf<T> extends Owns
        ? VerbsOf<T, OwnedFieldsResource<T, F>>
        : VerbsOf<T, FieldsResource<T, F>>
    : never

interface VerbsOf<T extends ApiObject, R> {
  (kind: ScalableKind<T>): Scaled<T> & R
  (kind: Kind<T>): R
}

/** The type of an object's status. */
export type StatusOf<T extends ApiObject> = T extends { readonly status?: infer S } ? S : never

/** The status that a controller may write: nothing if it declares other fields of the kind alone. */
export type StatusOfFields<T extends ApiObject, W> = [FieldsOf<T, W>] extends [never]
  ? StatusOf<T>
  : [Extract<FieldsOf<T, W>, 'status' | `status.${string}` | `status[${string}`>] extends [never]
    ? never
    : StatusOf<T>

/** How an owned object is written. */
export interface EnsureOptions {
  /** Takes fields of the draft from managers that want another value. Default true: what it names is the controller's to say. */
  readonly force?: boolean
}

/** How owned objects are written. */
export interface Ensure {
  /**
   * Makes an owned object have the fields of the draft, by server-side apply under the name of this controller: `<program>/<name>`.
   * It writes only if the object has not. What an earlier draft named and this one does not goes away; what others write and the
   * draft does not name stays as it is, such as `spec.replicas` of an autoscaler. A field of the draft that another manager changed is
   * put right, which is logged with the name of who has it; with `force: false` it is a `Conflict` that says who.
   *
   * @throws StatusError `Conflict` if an object of that name exists and is not owned by this one, `Invalid`, `BadRequest` for an
   * object that this one cannot own, since it is of another namespace or of none.
   */
  ensure<K extends ApiObject>(
    kind: Kind<K>,
    draft: NamedDraft<K>,
    options?: EnsureOptions,
  ): Promise<Stored<K>>
}

/** The same, for a controller that declares fields of some kinds. */
interface FieldsEnsure<W> {
  ensure<K extends ApiObject>(
    kind: Kind<K> & ([FieldsOf<K, W>] extends [never] ? unknown : never),
    draft: NamedDraft<K>,
    options?: EnsureOptions,
  ): Promise<Stored<K>>
  ensure<K extends ApiObject>(
    kind: Kind<K>,
    draft: FieldsDraft<K, FieldsOf<K, W>>,
    options?: EnsureOptions,
  ): Promise<Stored<K>>
}

/** How a controller that declares `W` writes owned objects. */
export type EnsureOf<W> = [TitlesOfFields<W>] extends [never]
  ? Ensure['ensure']
  : FieldsEnsure<W>['ensure']
