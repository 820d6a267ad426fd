import {
  acceptNames,
  type CreateKinds,
  type CustomKind,
  compileKinds,
  type Definition,
  isConditionTrue,
  type KindEnvironment,
  NamesInUse,
  statusWithNames,
} from '../../apiextensions/apiextensions.ts'
import { runInSlices } from '../../kernel/async/slices.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { NameClaims } from './name-claims.ts'

/** What kinds are made with, and where they go. */
export interface DefinedKindsOptions {
  readonly platform: Platform
  /** What kinds are compiled with. */
  readonly environment: KindEnvironment
  /** Decides about names where other servers give them, too. */
  readonly claims?: NameClaims
  /** The revision that everything up to now was written at or before. */
  readonly revision: () => number
  /** Puts kinds in the place of those served so far. */
  readonly serve: (kinds: readonly CustomKind[]) => void
}

/** A definition, the kinds made of it, and what they were made of. */
interface KnownDefinition {
  /** As it is stored. */
  readonly stored: Stored<Definition>
  /** With the status that follows. */
  readonly settled: Stored<Definition>
  readonly kinds: readonly CustomKind[]
  /** Makes those that take their place when it is served next. */
  readonly create?: CreateKinds
}

/**
 * The kinds that definitions make. A definition gets the names that no other of its group has; one that is deleted keeps
 * its kinds until it is gone.
 */
export class DefinedKinds {
  readonly #options: DefinedKindsOptions
  readonly #known = new Map<string, KnownDefinition>()
  readonly #names = new NamesInUse()
  /** The definitions whose accepted names are in use, in the form in which they were added. */
  readonly #named = new Map<string, Stored<Definition>>()

  constructor(options: DefinedKindsOptions) {
    this.#options = options
  }

  /**
   * A definition as it is to be kept: its spec is that which its kinds were made of, as long as it is the same. So a definition
   * whose status changes is in memory once. A function of its own, so that caches that use it are one.
   */
  readonly shared = (definition: Stored<Definition>): Stored<Definition> => {
    const known = this.#known.get(definition.metadata.name)?.stored
    if (known === undefined || !sameSpec(known, definition)) return definition
    return { ...definition, spec: known.spec }
  }

  /** True once a definition of this name was taken. */
  has(name: string): boolean {
    return this.#known.has(name)
  }

  /** The kinds that a definition makes at this moment. */
  kindsOf(name: string): readonly CustomKind[] {
    return this.#known.get(name)?.kinds ?? []
  }

  /** The definitions of a group that wait for names or for being established. */
  waiting(group: string): readonly string[] {
    return [...this.#known]
      .filter(([, { stored }]) => stored.spec.group === group && !isSettled(stored))
      .map(([name]) => name)
  }

  /** Takes the names that stored definitions have, before any of them gets more. */
  takeNames(definitions: readonly Stored<Definition>[]): void {
    for (const definition of definitions) this.#name(definition.metadata.name, definition)
  }

  /** Takes a definition as it is now. Resolves to true if what is served changes by it. */
  async set(given: Stored<Definition>, now: number): Promise<boolean> {
    const { environment } = this.#options
    const definition = this.shared(given)
    const { name } = definition.metadata
    const before = this.#known.get(name)
    const settled = await this.settled(definition, now)
    if (before !== undefined && sameKinds(before.settled, settled)) {
      this.#remember(name, { ...before, stored: definition, settled })
      return false
    }
    const established = isEstablished(settled)
    const kinds = before?.kinds ?? []
    const create = established ? await runInSlices(compileKinds(settled, environment)) : () => []
    this.#remember(name, { stored: definition, settled, kinds, create })
    return established || kinds.length > 0
  }

  /** Resolves to true if the definition was known: what is served changes by it. */
  async delete(name: string): Promise<boolean> {
    const known = this.#known.get(name)
    if (known !== undefined) await this.#options.claims?.release(known.stored)
    this.#name(name, undefined)
    return this.#known.delete(name)
  }

  /** The definition with the status that follows from the names that it gets. */
  async settled(definition: Stored<Definition>, now: number): Promise<Stored<Definition>> {
    const { claims } = this.#options
    const known = this.#names.for(definition)
    await claims?.claim(definition, known)
    const names = acceptNames(definition, claims?.taken(definition) ?? known)
    const status = statusWithNames(definition, names, this.#options.platform, now)
    return { ...definition, status }
  }

  /** Serves what the definitions make. */
  serve(): void {
    const { serve, revision } = this.#options
    for (const [name, { create, ...one }] of this.#known) {
      if (create) this.#known.set(name, { ...one, kinds: create(revision()) })
    }
    serve(
      [...this.#known.values()].flatMap(({ settled, kinds }) => {
        const served = settled.spec.versions.filter((one) => one.served).map(({ name }) => name)
        const names = new Set(served)
        return kinds.filter(({ kind }) => names.has(kind.version))
      }),
    )
  }

  #remember(name: string, known: KnownDefinition): void {
    this.#known.set(name, known)
    this.#name(name, known.settled)
  }

  /** Replaces the names that a definition has. */
  #name(name: string, definition: Stored<Definition> | undefined): void {
    const before = this.#named.get(name)
    if (before !== undefined) this.#names.remove(before)
    this.#named.delete(name)
    if (definition === undefined) return
    this.#named.set(name, definition)
    this.#names.add(definition)
  }
}

/** True for a definition whose kinds are served: its names are its own. */
function isEstablished(definition: Definition): boolean {
  return isConditionTrue(definition, 'Established')
}

/** True for one that has all the names which it wants: what others do changes nothing for it. */
function isSettled(definition: Definition): boolean {
  return isEstablished(definition) && isConditionTrue(definition, 'NamesAccepted')
}

/** True if the spec did not change between two states of one definition: another spec is another generation. */
function sameSpec(
  { metadata: a }: Stored<Definition>,
  { metadata: b }: Stored<Definition>,
): boolean {
  return a.uid === b.uid && a.generation !== undefined && a.generation === b.generation
}

/** True if two states of a definition make the same kinds. Another spec is another generation. */
function sameKinds(a: Definition, b: Definition): boolean {
  const facts = (definition: Definition) => [
    definition.metadata.uid,
    definition.metadata.generation,
    definition.metadata.deletionTimestamp,
    definition.status?.acceptedNames,
    isEstablished(definition),
  ]
  return deepEqual(facts(a), facts(b))
}
