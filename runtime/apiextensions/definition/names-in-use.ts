import type { Definition } from './definition.ts'

/** Names that others have. */
export interface NameSet {
  has(name: string): boolean
}

/** Names that are taken in a group by others: those of resources, and those of kinds. */
export interface TakenNames {
  readonly resources: NameSet
  readonly kinds: NameSet
}

/** Who has a name: definitions, by their own names. */
type DefinitionsByName = Map<string, Set<string>>

interface Group {
  readonly resources: DefinitionsByName
  readonly kinds: DefinitionsByName
}

/** The names that definitions were given, in each group. */
export class NamesInUse {
  readonly #groups = new Map<string, Group>()

  /** Counts the names of a definition, which has none that count. */
  add(definition: Definition): void {
    this.#each(definition, (holders, name, holder) => {
      holders.set(name, (holders.get(name) ?? new Set()).add(holder))
    })
  }

  /** Forgets the names of a definition that was added as it is. */
  remove(definition: Definition): void {
    this.#each(definition, (holders, name, holder) => {
      const left = holders.get(name)
      if (left?.delete(holder) && left.size === 0) holders.delete(name)
    })
  }

  /** What is taken, as a definition sees it: its own names are not. */
  for({ spec, metadata }: Definition): TakenNames {
    const { resources, kinds } = this.#group(spec.group)
    const own = metadata.name ?? ''
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

  #each(
    { metadata, spec, status }: Definition,
    visit: (holders: DefinitionsByName, name: string, holder: string) => void,
  ): void {
    const { resources, kinds } = this.#group(spec.group)
    const holder = metadata.name ?? ''
    const { plural, singular, shortNames, kind, listKind } = status?.acceptedNames ?? {}
    for (const name of [plural, singular, ...(shortNames ?? [])]) {
      if (name) visit(resources, name, holder)
    }
    for (const name of [kind, listKind]) if (name) visit(kinds, name, holder)
  }
}
