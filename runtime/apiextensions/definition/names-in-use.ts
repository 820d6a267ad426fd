import type { Stored } from '../../kernel/meta/object.ts'
import type { Definition } from './definition.ts'

/** The names of other definitions. */
export interface NameSet {
  has(name: string): boolean
}

/** The names that other definitions of a group have: of resources, and of kinds. */
export interface TakenNames {
  readonly resources: NameSet
  readonly kinds: NameSet
}

/** The names of the definitions that have each name. */
type DefinitionsByName = Map<string, Set<string>>

interface Group {
  readonly resources: DefinitionsByName
  readonly kinds: DefinitionsByName
}

/** The accepted names of definitions, by group. */
export class NamesInUse {
  readonly #groups = new Map<string, Group>()

  /** Adds the accepted names of a definition that is not added yet. */
  add(definition: Stored<Definition>): void {
    this.#each(definition, (holders, name, holder) => {
      holders.set(name, (holders.get(name) ?? new Set()).add(holder))
    })
  }

  /** Removes the names of a definition, which has to be the same as when it was added. */
  remove(definition: Stored<Definition>): void {
    this.#each(definition, (holders, name, holder) => {
      const left = holders.get(name)
      if (left?.delete(holder) && left.size === 0) holders.delete(name)
    })
  }

  /** The names that are taken for a definition: all but its own. */
  for({ spec, metadata }: Stored<Definition>): TakenNames {
    const { resources, kinds } = this.#group(spec.group)
    const own = metadata.name
    const taken = (holders: DefinitionsByName): NameSet => ({
      has(name) {
        const all = holders.get(name)
        return all !== undefined && (all.size > 1 || !all.has(own))
      },
    })
    return { resources: taken(resources), kinds: taken(kinds) }
  }

  #group(name: string): Group {
    const known = this.#groups.get(name) ?? { resources: new Map(), kinds: new Map() }
    this.#groups.set(name, known)
    return known
  }

  /** Resources share one set of names for plural, singular and short names; kinds share one with list kinds. */
  #each(
    { metadata, spec, status }: Stored<Definition>,
    visit: (holders: DefinitionsByName, name: string, holder: string) => void,
  ): void {
    const { resources, kinds } = this.#group(spec.group)
    const holder = metadata.name
    const { plural, singular, shortNames, kind, listKind } = status?.acceptedNames ?? {}
    for (const name of [plural, singular, ...(shortNames ?? [])]) {
      if (name) visit(resources, name, holder)
    }
    for (const name of [kind, listKind]) if (name) visit(kinds, name, holder)
  }
}
