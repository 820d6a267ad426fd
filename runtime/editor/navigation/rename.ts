/** Renaming an object, or a key of one, together with everything that names it. */
import type { ObjectFacts, Place } from '../../validate/validate.ts'
import type { EditorContext } from '../workspace/names.ts'
import { objectOf, referencesTo, type Subject } from './subject.ts'

/** The places that get the new name, or why they cannot. */
export type Renaming = { readonly places: readonly Place[] } | { readonly refused: string }

/** The forms of names, by what an object of the kind takes. */
const objectName = /^[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?$/
const dataKey = /^[-._a-zA-Z0-9]{1,253}$/

/**
 * Renames everywhere or not at all: a name that is taken, or that no object may have, is refused, and so is an object that no file of the
 * workspace declares. `keyPlace` finds where an object declares a key.
 */
export function renaming(
  subject: Subject,
  fresh: string,
  context: Pick<EditorContext, 'objects'>,
  keyPlace: (object: ObjectFacts, key: string) => Place | undefined,
): Renaming {
  const { kind, namespace, name, key } = subject
  const declared = objectOf(subject, context)
  if (declared === undefined) return { refused: `no file of the workspace has ${kind} ${name}` }
  const references = referencesTo(subject, context)
  if (key !== undefined) {
    if (!dataKey.test(fresh))
      return { refused: `${fresh}: a key has letters, digits, -, _ and . only` }
    if (declared.keys.includes(fresh))
      return { refused: `${kind} ${name} has a key ${fresh} already` }
    const place = keyPlace(declared, key)
    if (place === undefined) return { refused: `${kind} ${name} has no key ${key}` }
    return { places: [place, ...references] }
  }
  if (!objectName.test(fresh)) {
    return {
      refused: `${fresh}: a name has small letters, digits, - and . only, and at most 253 of them`,
    }
  }
  if (context.objects.object(subject, namespace, fresh) !== undefined) {
    return { refused: `${kind} ${fresh} is there already` }
  }
  const same = context.objects.all.filter(
    (one) =>
      one.kind === kind &&
      one.group === declared.group &&
      one.namespace === declared.namespace &&
      one.name === name,
  )
  return { places: [...same.map(({ place }) => place), ...references] }
}
