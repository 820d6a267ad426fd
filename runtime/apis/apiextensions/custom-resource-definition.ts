import {
  type Definition,
  validateDefinition,
  withDefaultNames,
} from '../../apiextensions/apiextensions.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * A definition has all names of its kind, and keeps every version that objects were ever stored in.
 * Without names there is nothing to check: the reader has reported that already.
 * Schemas can be large, so the check runs in steps.
 */
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
  prepareSubresource(object) {
    const stored = (object as Definition).status?.storedVersions ?? []
    return stored.length === 0 ? withStored(object as Definition, stored) : object
  },
  *validateInSteps(object, old, { platform, gates }) {
    const { spec, ...rest } = object as Definition
    if (spec?.names === undefined) return []
    return yield* validateDefinition(
      { ...rest, spec: { ...spec, versions: spec.versions ?? [] } },
      old as Definition | undefined,
      platform,
      gates,
    )
  },
}

/**
 * Adds the version with `storage: true` to those of status, at the end. None is ever taken away
 * here: that is done through status once all objects have been written anew.
 */
function withStored(definition: Definition, before: readonly string[]): ApiObject {
  const stored = (definition.spec.versions ?? []).find(({ storage }) => storage)?.name
  if (stored === undefined || before.includes(stored)) return definition
  const storedVersions = [...before, stored]
  return { ...definition, status: { ...definition.status, storedVersions } } as ApiObject
}
