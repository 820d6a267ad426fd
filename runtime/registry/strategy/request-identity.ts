/** Name and namespace of a sent object: those of the path that it was sent to. */
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Target } from '../contract/contract.ts'
import type { Draft } from './decode.ts'

/** The object in the namespace of the path. @throws StatusError BadRequest if it names another one. */
export function withRequestNamespace({ kind, namespace }: Target, object: ApiObject): ApiObject {
  const { namespace: given, ...metadata } = object.metadata
  if (kind.scope === 'Cluster') return { ...object, metadata }
  if (given && given !== namespace) {
    throw new StatusError(
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
  return { ...object, metadata: { ...metadata, ...(namespace && { namespace }) } }
}

/** @throws StatusError BadRequest unless the object has the name of the path. */
export function checkName({ name = '' }: Target, object: ApiObject): void {
  const given = object.metadata.name ?? ''
  if (given === name) return
  throw new StatusError(
    'BadRequest',
    given === ''
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${given}) does not match the name on the URL (${name})`,
  )
}

/** The draft as the path of the request demands it: under its name, in its namespace. @throws StatusError BadRequest. */
export function draftFor(target: Target, draft: Draft): Draft {
  checkName(target, draft.object)
  return { ...draft, object: withRequestNamespace(target, draft.object) }
}
