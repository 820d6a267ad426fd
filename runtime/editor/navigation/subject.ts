/** What a place of a document is about: an object, by its own name or by a reference to it, or a key of one. */
import type { ObjectFacts, Place } from '../../validate/validate.ts'
import type { EditorContext } from '../workspace/names.ts'

/** An object, or a key of its data. */
export interface Subject {
  /** Undefined: whichever group has such a kind. */
  readonly group: string | undefined
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** The key of a config map or secret. */
  readonly key?: string
  /** The place that was asked about. */
  readonly at: Place
}

/** True for a place that has the offset. */
function has({ at }: Pick<Place, 'at'>, offset: number): boolean {
  return at.offset <= offset && offset <= at.end
}

/** What the offset in a file is about. */
export function subjectAt(
  own: readonly ObjectFacts[],
  offset: number,
  { objects }: Pick<EditorContext, 'objects'>,
): Subject | undefined {
  for (const facts of own) {
    const { group, kind, namespace, name, place } = facts
    if (name !== '' && has(place, offset)) return { group, kind, namespace, name, at: place }
    for (const reference of facts.references) {
      const found = objects.object(reference, reference.namespace, reference.name)
      const { group, kind, name } = reference
      const meant = {
        group: found?.group ?? group,
        kind,
        name,
        namespace: found?.namespace ?? reference.namespace,
      }
      if (has(reference, offset)) return { ...meant, at: reference }
      const use = reference.keys.find((one) => has(one, offset))
      if (use !== undefined) return { ...meant, key: use.key, at: use }
    }
    const use = facts.portUses.find((one) => one.service !== undefined && has(one, offset))
    if (use?.service !== undefined) {
      return { group: '', kind: 'Service', namespace: use.namespace, name: use.service, at: use }
    }
  }
  return undefined
}

/** The object that is meant, if it is one of the workspace. */
export function objectOf(
  subject: Subject,
  { objects }: Pick<EditorContext, 'objects'>,
): ObjectFacts | undefined {
  return objects.object(subject, subject.namespace, subject.name)
}

/** Every place that names the object, or the key, beside the one where it is declared. */
export function referencesTo(
  subject: Subject,
  { objects }: Pick<EditorContext, 'objects'>,
): readonly Place[] {
  const declared = objectOf(subject, { objects })
  return objects.all.flatMap(({ references }) =>
    references.flatMap((one): readonly Place[] => {
      if (one.kind !== subject.kind || one.name !== subject.name) return []
      const found = objects.object(one, one.namespace, one.name)
      const isMeant =
        declared === undefined
          ? found === undefined && one.namespace === subject.namespace
          : found === declared
      if (!isMeant) return []
      if (subject.key === undefined) return [one]
      return one.keys.filter(({ key }) => key === subject.key)
    }),
  )
}
