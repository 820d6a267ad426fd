/** What admission knows of a request, and what plugins may record about it. */
import type { UserInfo } from '../../kernel/auth/user-info.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'

/** What a request does to an object. Reads are never admitted (supplement Q-02). */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export type { UserInfo } from '../../kernel/auth/user-info.ts'

/** An operation on a resource: all that decides which plugins handle a request. */
export interface ResourceOperation {
  readonly operation: Operation
  /** The resource of the path, in the version of the request. */
  readonly resource: AnyKind
  readonly subresource?: string
}

/** The attributes of a request without its objects. */
export interface RequestAttributes extends ResourceOperation {
  /** The kind of the object: the resource's own, or that of the subresource's body. */
  readonly kind: AnyKind
  /** For a namespace, its own name. */
  readonly namespace?: string
  /** Absent while the name is not generated yet. */
  readonly name?: string
  /** The authenticated user; the server itself for its own requests. */
  readonly user: UserInfo
  readonly dryRun: boolean
  /** The headers that name the trace of the request: webhooks get them. */
  readonly trace?: Readonly<Record<string, string>>
  /** The options object of the request (CreateOptions, DeleteOptions, ...). */
  readonly options: JsonObject
}

/** The attributes of a request with its objects: a deletion has only the old one, a creation only the new one. */
export interface Attributes extends RequestAttributes {
  readonly object?: ApiObject
  readonly oldObject?: ApiObject
}

/** Records what a plugin has to say beside allowing, changing or rejecting a request. */
export interface Recorder {
  /** Adds a warning, which becomes a `Warning` header. The same text is sent once. */
  warn(text: string): void
  /** Sets an annotation of the audit event. */
  annotate(key: string, value: string): void
  /** Registers a callback that runs once it is certain whether the object was stored. */
  onSettled(run: (stored: boolean) => Promise<void> | void): void
}

/** True for one of the named resources of a group, in any version. */
export function isResource(
  { resource }: ResourceOperation,
  group: string,
  ...plurals: string[]
): boolean {
  return resource.group === group && plurals.includes(resource.plural)
}

/** True for a request to the resource itself, not to one of its subresources. */
export function isMainResource({ subresource }: ResourceOperation): boolean {
  return subresource === undefined
}

/** True for the operations that carry an object to be stored: CREATE and UPDATE. */
export function isWrite({ operation }: ResourceOperation): boolean {
  return operation === 'CREATE' || operation === 'UPDATE'
}
