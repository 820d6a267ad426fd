/** The imports of one module, collected while its statements are emitted: mentioning a name imports it. */
import type { ImportDeclarationStructure } from 'ts-morph'
import type { NamedType } from '../../schema/named-type.ts'
import type { Specifiers } from '../artefact.ts'
import { camel, modulePath, readerName, readerPath, upperFirst } from './names.ts'

/** A declaration as ts-morph takes it, without the tag that says which structure it is. */
type Import = Omit<ImportDeclarationStructure, 'kind'>

/** Each method returns the name by which the module has to refer to what is imported. */
export interface Imports {
  /** Imports a value or a type of a kernel file, given as for `Specifiers.kernel`. */
  kernel(file: string, name: string, typeOnly?: boolean): string
  /** The name of a type here: imported unless it is this module's own, under another name where two would clash. */
  type(type: NamedType): string
  /** The reader of a type. */
  reader(type: NamedType): string
  /** A type that the module of `type` declares beside it. */
  derivedType(type: NamedType, name: string): string
  /** A value of another generated module, by the schema file it comes from. */
  value(type: NamedType, name: string): string
  /** A value of a module of this tree that comes from no schema file of its own. */
  tree(file: string, name: string): string
  /** The declarations of everything that was mentioned, unmerged. */
  structures(): readonly Import[]
}

/**
 * Collects the imports of the module `path`, which declares the names `own` itself. Of two equal names from different
 * modules the second is imported under an alias that names its package.
 */
export function importsOf(
  path: string,
  specifiers: Specifiers,
  own: readonly string[] = [],
): Imports {
  return new ModuleImports(path, specifiers, own)
}

/**
 * Names are given out in the order in which they are mentioned, so the same statements always get
 * the same aliases: with two types named `Event`, the first is `Event`, the second `Event as
 * EventOfEventsV1`.
 */
class ModuleImports implements Imports {
  readonly #path: string
  readonly #specifiers: Specifiers
  /** By `type` or `value` and specifier: the imported names, each with the name it has in this module. */
  readonly #named = new Map<string, Map<string, string>>()
  /** By name in this module: the module that declares it. */
  readonly #owners: Map<string, string>

  constructor(path: string, specifiers: Specifiers, own: readonly string[]) {
    this.#path = path
    this.#specifiers = specifiers
    this.#owners = new Map(own.map((name) => [name, path]))
  }

  /**
   * The alias is the name itself: names of the kernel are never renamed, emitted text relies on
   * them.
   */
  kernel(file: string, name: string, typeOnly = false): string {
    return this.#add(this.#specifiers.kernel(file, this.#path), name, typeOnly, name)
  }

  type(type: NamedType): string {
    return this.#declared(type, modulePath(type), '', type.name, true)
  }

  /**
   * Another tree's readers are in a module of their own, beside the one of its types: hence
   * `.read`.
   */
  reader(type: NamedType): string {
    return this.#declared(type, readerPath(type), '.read', readerName(type), false)
  }

  derivedType(type: NamedType, name: string): string {
    return this.#declared(type, modulePath(type), '', name, true)
  }

  value(type: NamedType, name: string): string {
    return this.#declared(type, modulePath(type), '', name, false)
  }

  tree(file: string, name: string): string {
    return this.#add(this.#specifiers.local(file, this.#path), name, false, name)
  }

  structures(): readonly Import[] {
    return [...this.#named].map(([key, names]) => declaration(key, names))
  }

  /** A declaration of the module `from`, made for `type`; `suffix` tells modules of an external package apart. */
  #declared(
    type: NamedType,
    from: string,
    suffix: string,
    name: string,
    typeOnly: boolean,
  ): string {
    if (from === this.#path && type.external === undefined) return name
    const specifier =
      type.external === undefined
        ? this.#specifiers.local(from, this.#path)
        : `${type.external}${suffix}`
    return this.#add(specifier, name, typeOnly, `${name}Of${upperFirst(camel(type.package))}`)
  }

  /** The name that stands for an imported one; `alias` if another module has taken it. */
  #add(specifier: string, name: string, typeOnly: boolean, alias: string): string {
    const key = `${typeOnly ? 'type' : 'value'} ${specifier}`
    const names = this.#named.get(key) ?? this.#named.set(key, new Map()).get(key)!
    const known = names.get(name)
    if (known !== undefined) return known
    const free = (this.#owners.get(name) ?? specifier) === specifier
    names.set(name, free ? name : alias)
    this.#owners.set(free ? name : alias, specifier)
    return free ? name : alias
  }
}

/**
 * The key is `type <specifier>` or `value <specifier>`. A specifier may have blanks, so only the
 * first one divides.
 */
function declaration(key: string, names: ReadonlyMap<string, string>): Import {
  const [sort, ...specifier] = key.split(' ')
  return {
    moduleSpecifier: specifier.join(' '),
    isTypeOnly: sort === 'type',
    namedImports: [...names].map(([name, alias]) => (alias === name ? { name } : { name, alias })),
  }
}
