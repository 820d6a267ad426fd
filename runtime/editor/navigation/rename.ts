/** Renaming an object, or a key of one, together with everything that names it. */
import { configKeyProblems, nameProblems } from '../../kernel/meta/names.ts'
import type { ObjectFacts, Place } from '../../validate/validate.ts'
import type { EditorContext } from '../workspace/names.ts'
import { objectOf, referencesTo, type Subject } from './subject.ts'

/** The places that get the new name, or why they cannot. */
export type Renaming = { readonly places: readonly Place[] } | { readonly refused: string }

/** Kinds whose names follow from other fields. */
const namedByFields: Readonly<Record<string, string>> = {
  APIService: 'spec.version and spec.group',
  CustomResourceDefinition: 'spec.names.plural and spec.group',
}

/**
 * Renames everywhere or not at all: a name that is taken, or that no object may have, is refused, and so is an object that no file of the
 * workspace declares. `keyPlace` finds where an object declares a key.
 */
export function renaming(
  subject: Subject,
  fresh: string,
  context: Pick<EditorContext, 'catalogue' | 'objects'>,
  keyPlace: (object: ObjectFacts, key: string) => Place | undefined,
): Renaming {
  const { kind, namespace, name, key } = subject
  const declared = objectOf(subject, context)
  if (declared === undefined) return { refused: `no file of the workspace has ${kind} ${name}` }
  const references = referencesTo(subject, context)
  if (key !== undefined) {
    const [wrong] = configKeyProblems(fresh)
    if (wrong !== undefined) return { refused: `${fresh}: ${wrong}` }
    if (declared.keys.includes(fresh))
      return { refused: `${kind} ${name} has a key ${fresh} already` }
    const place = keyPlace(declared, key)
    if (place === undefined) return { refused: `${kind} ${name} has no key ${key}` }
    return { places: [place, ...references] }
  }
  const wrong = wrongName(declared, fresh, context)
  if (wrong !== undefined) return { refused: wrong }
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

/** Why an object may not have a name. */
function wrongName(
  { kind, name, place }: ObjectFacts,
  fresh: string,
  { catalogue, objects }: Pick<EditorContext, 'catalogue' | 'objects'>,
): string | undefined {
  const fields = namedByFields[kind]
  if (fields !== undefined) return `the name of a ${kind} follows from its ${fields}`
  if (fresh === '') return `${kind} ${name} needs a name`
  const format = catalogue.kind(place.object.apiVersion, kind)?.nameFormat ?? 'dns-subdomain'
  const [wrong] = nameProblems(format, fresh)
  if (wrong !== undefined) return `${fresh}: ${wrong}`
  const within =
    kind === 'Namespace' ? objects.all.find(({ namespace }) => namespace === name) : undefined
  return within && `${within.kind} ${within.name} is in the namespace: move it first`
}
