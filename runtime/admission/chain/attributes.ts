import type { UserInfo } from '../../kernel/auth/user-info.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'

/** What a request does to an object. Reads are never admitted (supplement Q-02). */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export type { UserInfo } from '../../kernel/auth/user-info.ts'

/** Where a request goes: decides, with its operation, which plugins look at it. */
export interface ResourceOperation {
  readonly operation: Operation
  /** The resource of the path, in the version of the request. */
  readonly resource: AnyKind
  readonly subresource?: string
}

/** A request that is to be admitted. */
export interface RequestAttributes extends ResourceOperation {
  /** The kind of the object: the resource's own, or that of the subresource's body. */
  readonly kind: AnyKind
  /** For a namespace, its own name. */
  readonly namespace?: string
  /** Absent while the name is yet to be generated. */
  readonly name?: string
  readonly caller: UserInfo
  readonly dryRun: boolean
  /** The options of the request, as its options kind writes them. */
  readonly options: JsonObject
}

/** An attempt with its objects: a deletion has only the old one, a creation only the new one. */
export interface Attributes extends RequestAttributes {
  readonly object?: ApiObject
  readonly old?: ApiObject
}

/** What a plugin may say beside allowing, changing and refusing. */
export interface Recorder {
  /** Becomes a Warning header; the same text is told once. */
  warn(text: string): void
  /** Becomes an annotation of the audit event. */
  annotate(key: string, value: string): void
  /** Runs once it is certain whether the object was stored. */
  onSettled(run: (stored: boolean) => Promise<void> | void): void
}

/** True for the named resource, in any version. */
export function isResource(
  { resource }: ResourceOperation,
  group: string,
  ...plurals: string[]
): boolean {
  return resource.group === group && plurals.includes(resource.plural)
}

/** True for a write to the object itself, not to one of its subresources. */
export function isMainResource({ subresource }: ResourceOperation): boolean {
  return subresource === undefined
}
