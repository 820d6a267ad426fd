/** Which definition has a name, where several servers give them. */
import { acceptNames, type Definition, type TakenNames } from '../../apiextensions/apiextensions.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { GroupNames, HeldNames, NameTable } from '../../registry/registry.ts'

/** Where claims stand, and what they are for. */
export interface NameClaimsOptions {
  readonly table: NameTable
  /** A definition as of now. */
  readonly find: (name: string) => Promise<Stored<Definition> | undefined>
}

/**
 * The names that definitions have claimed. A name is claimed before its definition is said to have it, and only for the definition as it
 * is stored at that moment, so that a server that is behind gives nothing back that another one has given away.
 */
export class NameClaims {
  readonly #options: NameClaimsOptions

  constructor(options: NameClaimsOptions) {
    this.#options = options
  }

  /** For a definition every name is taken that it has not claimed. */
  taken({ metadata, spec }: Stored<Definition>): TakenNames {
    const { holders } = this.#options.table.cached(spec.group)
    const own = holders.get(metadata.name)
    const [resources, kinds] =
      own?.uid === metadata.uid ? [new Set(own.resources), new Set(own.kinds)] : [none, none]
    return {
      resources: { has: (name) => !resources.has(name) },
      kinds: { has: (name) => !kinds.has(name) },
    }
  }

  /** Claims the names that a definition gets: those that no other has claimed, nor has as far as `known` says. */
  async claim(definition: Stored<Definition>, known: TakenNames): Promise<void> {
    const { table, find } = this.#options
    const { group } = definition.spec
    const { name, uid } = definition.metadata
    const before = table.cached(group).holders.get(name)
    if (before && isSame(before, namesOf(definition, definition.spec.names))) return
    for (;;) {
      const claimed = await table.read(group)
      const current = await find(name)
      if (current?.metadata.uid !== uid) return
      const others = await this.#living(current, claimed)
      const { names } = acceptNames(current, eitherOf(takenBy(others), known))
      const own = namesOf(current, names)
      const held = claimed.holders.get(name)
      if (held && isSame(held, own) && others.size === claimed.holders.size - 1) return
      if (await table.write(group, claimed, new Map(others).set(name, own))) return
    }
  }

  /** Gives up what a definition has claimed that is gone. */
  async release({ metadata: { name, uid }, spec: { group } }: Stored<Definition>): Promise<void> {
    const { table } = this.#options
    for (;;) {
      const claimed = await table.read(group)
      if (claimed.holders.get(name)?.uid !== uid) return
      const left = new Map(claimed.holders)
      left.delete(name)
      if (await table.write(group, claimed, left)) return
    }
  }

  /** What others have claimed. A claim that is in the way counts only while its definition is there: who should have released it may have ended. */
  async #living(definition: Stored<Definition>, claimed: GroupNames): Promise<Holders> {
    const wanted = namesOf(definition, definition.spec.names)
    const others = new Map(claimed.holders)
    others.delete(definition.metadata.name)
    for (const [name, held] of claimed.holders) {
      if (!others.has(name) || !overlap(held, wanted)) continue
      const holder = await this.#options.find(name)
      if (holder?.metadata.uid !== held.uid) others.delete(name)
    }
    return others
  }
}

type Holders = ReadonlyMap<string, HeldNames>

const none: ReadonlySet<string> = new Set()

/** Resources share one set of names for plural, singular and short names; kinds share one with list kinds. */
function namesOf({ metadata: { uid } }: Stored<Definition>, names: Names): HeldNames {
  const { plural, singular, shortNames = [], kind, listKind } = names
  const given = (all: readonly (string | undefined)[]): string[] => [
    ...new Set(all.filter((one): one is string => one !== undefined && one !== '')),
  ]
  return {
    uid,
    resources: given([plural, singular, ...shortNames]),
    kinds: given([kind, listKind]),
  }
}

type Names = Definition['spec']['names']

function takenBy(holders: Holders): TakenNames {
  const all = [...holders.values()]
  return {
    resources: new Set(all.flatMap(({ resources }) => resources)),
    kinds: new Set(all.flatMap(({ kinds }) => kinds)),
  }
}

function eitherOf(a: TakenNames, b: TakenNames): TakenNames {
  return {
    resources: { has: (name) => a.resources.has(name) || b.resources.has(name) },
    kinds: { has: (name) => a.kinds.has(name) || b.kinds.has(name) },
  }
}

function overlap(a: HeldNames, b: HeldNames): boolean {
  return (
    a.resources.some((one) => b.resources.includes(one)) ||
    a.kinds.some((one) => b.kinds.includes(one))
  )
}

function isSame(a: HeldNames, b: HeldNames): boolean {
  const words = ({ uid, resources, kinds }: HeldNames): string =>
    [uid, [...resources].sort(), [...kinds].sort()].join(' ')
  return words(a) === words(b)
}
