import type { ApiObject, NamedObject, Stored } from '../../kernel/meta/object.ts'
import { type ChangedField, changedFields, managersOfNew } from './changed-fields.ts'

/** A change that woke a key, as its informer saw it. */
export interface Change<K extends ApiObject = ApiObject> {
  /** `listed`: it was there when the cache was filled. */
  readonly type: 'listed' | 'added' | 'updated' | 'deleted'
  readonly object: Stored<K>
  /** What it was before an update. */
  readonly before?: Stored<K>
}

/** Why a run began: which change of which object, and who made it. */
export interface Cause {
  readonly type: Change['type']
  readonly kind: string
  /** `namespace/name`. */
  readonly object: string
  readonly revision: string
  /** Of an update: the fields that it changed, five at most, and their managers. */
  readonly fields: readonly ChangedField[]
  /** Of an object that was added: who made it, as its managed fields say. */
  readonly managers: readonly string[]
}

/** So many fields of a change are named. */
const named = 5

/** What is said of a change. */
export function causeOf({ type, object, before }: Change): Cause {
  const { kind, metadata } = object
  return {
    ...{ type, kind, revision: metadata.resourceVersion, object: nameOf(metadata) },
    fields: before === undefined ? [] : changedFields(before, object, named),
    managers: type === 'added' ? managersOfNew(object) : [],
  }
}

/** A cause in one line: `ConfigMap shop/menu updated at 812: data.soup by kubectl-edit`. */
export function printCause({ type, kind, object, revision, fields, managers }: Cause): string {
  const makers = managers.length === 0 ? '' : ` by ${managers.join(' and ')}`
  const changes = fields.map(({ path, managers }) =>
    managers.length === 0 ? path : `${path} by ${managers.join(' and ')}`,
  )
  const all = changes.length === 0 ? '' : `: ${changes.join(', ')}`
  return `${kind} ${object} ${type} at ${revision}${makers}${all}`
}

/** The same without the fields, which cost more to find: `ConfigMap shop/menu updated at 812`. */
export function titleOf({ type, object }: Change): string {
  const { kind, metadata } = object
  return `${kind} ${nameOf(metadata)} ${type} at ${metadata.resourceVersion}`
}

function nameOf({ namespace, name }: NamedObject['metadata']): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}
