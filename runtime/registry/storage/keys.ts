import { type AnyKind, storedKind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { ObjectTarget, Target } from '../contract/contract.ts'
import { notFound } from '../contract/errors.ts'

type Collection = Pick<Target, 'namespace'> & { readonly kind: AnyKind }

/** What the keys of a collection begin with. All versions of a resource are one collection. */
export function collectionPrefix({ kind, namespace }: Collection): string {
  const { group, plural } = storedKind(kind)
  const collection = `/${group || 'core'}/${plural}/`
  return kind.scope === 'Namespaced' && namespace ? `${collection}${namespace}/` : collection
}

/** The key of one object. */
export function objectKey(place: Collection, name: string): string {
  return `${collectionPrefix(place)}${name}`
}

/** The key of the object that a read names. @throws StatusError BadRequest for a name that is no segment of a path. */
export function readableKey(target: ObjectTarget): string {
  const { name } = target
  if (name === '.' || name === '..') throw invalidName(name, `may not be '${name}'`)
  if (name.includes('%')) throw invalidName(name, "may not contain '%'")
  return objectKey(target, name)
}

/**
 * The key of the object that a request names.
 *
 * @throws StatusError BadRequest for a name that is no segment of a path, NotFound for one that no object can have
 */
export function existingObjectKey(target: ObjectTarget): string {
  const { name } = target
  const key = readableKey(target)
  if (suspicious.test(key) && unstorable.test(key)) throw notFound(target.kind, name)
  return key
}

function invalidName(name: string, why: string): StatusError {
  return new StatusError('BadRequest', `Name parameter invalid: ${quoted(name)}: ${why}`)
}

/** Cheap, and true for halves of good pairs, too. */
const suspicious = /[\0\ud800-\udfff]/
const unstorable = /[\0\p{Surrogate}]/u

/** The target of a request about one object. A path always names it; no object has the empty name. */
export function objectTarget(target: Target): ObjectTarget {
  return { ...target, name: target.name ?? '' }
}

/** The namespace that a request is about, if there is one: for a namespace it is its own name. */
export function requestNamespace({ kind, namespace, name }: Target): string | undefined {
  return namespace ?? (kind.group === '' && kind.plural === 'namespaces' ? name : undefined)
}
