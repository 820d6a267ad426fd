import {
  type Definition,
  validateDefinition,
  withDefaultNames,
} from '../../apiextensions/apiextensions.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** A definition has all names of its kind, and keeps every version that objects were ever stored in. */
export const customResourceDefinition: Strategy = {
  defaults(object) {
    const definition = object as Definition
    const { spec } = definition
    if (spec?.names === undefined) return object
    return { ...definition, spec: { ...spec, names: withDefaultNames(spec.names) } } as ApiObject
  },
  prepareCreate: (object) => withStored(object as Definition, []),
  prepareUpdate: (object) =>
    withStored(object as Definition, (object as Definition).status?.storedVersions ?? []),
  *validateInSteps(object, old, { platform, gates }) {
    const { spec } = object as Definition
    if (spec?.names === undefined || !Array.isArray(spec.versions)) return []
    return yield* validateDefinition(
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
