/** The rules of CustomResourceDefinition. */
import { type Definition, definitionFindings, wholeNames } from '../customs/customs.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Rule } from './kinds.ts'

/** A definition names its kind wholly, and remembers every version that objects were ever stored in. */
export const customResourceDefinition: Rule = {
  defaults(object) {
    const definition = object as Definition
    const { spec } = definition
    if (spec?.names === undefined) return object
    return { ...definition, spec: { ...spec, names: wholeNames(spec.names) } } as ApiObject
  },
  prepareCreate: (object) => withStored(object as Definition, []),
  prepareUpdate: (object) =>
    withStored(object as Definition, (object as Definition).status?.storedVersions ?? []),
  *examine(object, old, { platform, gates }) {
    const { spec } = object as Definition
    if (spec?.names === undefined || !Array.isArray(spec.versions)) return []
    return yield* definitionFindings(
      object as Definition,
      old as Definition | undefined,
      platform,
      gates,
    )
  },
}

function withStored(definition: Definition, before: readonly string[]): ApiObject {
  const stored = (definition.spec.versions ?? []).find(({ storage }) => storage)?.name
  if (stored === undefined || before.includes(stored)) return definition
  const storedVersions = [...before, stored]
  return { ...definition, status: { ...definition.status, storedVersions } } as ApiObject
}
