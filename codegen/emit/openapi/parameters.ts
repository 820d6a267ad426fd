/** The query parameters of operations, which the options types of the machinery (`ListOptions`) describe. */
import type { Parameter } from '../../../runtime/kernel/openapi/path-context.ts'
import type { Field } from '../../schema/named-type.ts'
import type { Artefact } from '../artefact.ts'
import type { Model } from '../model/model.ts'
import { json } from './json.ts'

/** The types whose fields are the parameters of an action. Deleting a collection selects as a list does, but never watches. */
const optionTypes: Readonly<Record<string, readonly string[]>> = {
  list: ['ListOptions'],
  watch: ['ListOptions'],
  watchlist: ['ListOptions'],
  post: ['CreateOptions'],
  put: ['UpdateOptions'],
  patch: ['PatchOptions'],
  delete: ['DeleteOptions'],
  deletecollection: ['ListOptions', 'DeleteOptions'],
}

/** Fields of options types that only a body can carry. */
const bodyOnly = new Set(['preconditions'])
/** What only a list understands. */
const ofWatches = new Set(['allowWatchBookmarks', 'watch'])

/** The parameters of each action, sorted by name; a tree without the machinery's types has none. */
export function parametersOf(model: Model): Readonly<Record<string, readonly Parameter[]>> {
  const entries = Object.entries(optionTypes).map(([action, types]) => {
    const fields = types.flatMap((name) => {
      const type = model.metaType(name)
      return type?.is === 'struct' ? type.fields : []
    })
    const own = fields.filter(
      ({ name }) => !bodyOnly.has(name) && !(action === 'deletecollection' && ofWatches.has(name)),
    )
    const sorted = own.map(parameter).sort((a, b) => (a.name < b.name ? -1 : 1))
    return [action, sorted] as const
  })
  return Object.fromEntries(entries)
}

/** Lists and structs of options travel as text, so their parameters are strings. */
function parameter({ name, type, description }: Field): Parameter {
  const plain = type.is === 'integer' || type.is === 'boolean' ? type.is : 'string'
  return { name, type: plain, description }
}

/** The module with the parameters. */
export function parametersModule(model: Model, type: string): Artefact {
  const text = `import type { Parameter } from ${JSON.stringify(type)}\n\nexport const parameters: Readonly<Record<string, readonly Parameter[]>> = ${json(parametersOf(model))}\n`
  return { is: 'text', path: 'openapi/parameters.ts', from: [], text }
}
