/** The imports of one module, collected while its statements are emitted: mentioning a name imports it. */
import type { ImportDeclarationStructure } from 'ts-morph'
import type { NamedType } from '../../schema/ir.ts'
import type { Specifiers } from '../artefact.ts'
import { camel, modulePath, readerName, readerPath, upperFirst } from './names.ts'

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
  const named = new Map<string, Map<string, string>>()
  const owners = new Map(own.map((name) => [name, path]))

  const add = (specifier: string, name: string, typeOnly: boolean, alias: string): string => {
    const key = `${typeOnly ? 'type' : 'value'} ${specifier}`
    const names = named.get(key) ?? named.set(key, new Map()).get(key)!
    const known = names.get(name)
    if (known !== undefined) return known
    const free = (owners.get(name) ?? specifier) === specifier
    names.set(name, free ? name : alias)
    owners.set(free ? name : alias, specifier)
    return free ? name : alias
  }
  const from = (type: NamedType, to: string, suffix: string): string =>
    type.external === undefined ? specifiers.local(to, path) : `${type.external}${suffix}`
  const aliasOf = (type: NamedType, name: string): string =>
    `${name}Of${upperFirst(camel(type.package))}`

  return {
    kernel: (file, name, typeOnly = false) =>
      add(specifiers.kernel(file, path), name, typeOnly, name),
    type(type) {
      if (modulePath(type) === path && type.external === undefined) return type.name
      const specifier = from(type, modulePath(type), '')
      return add(specifier, type.name, true, aliasOf(type, type.name))
    },
    reader(type) {
      if (readerPath(type) === path && type.external === undefined) return readerName(type)
      const name = readerName(type)
      return add(from(type, readerPath(type), '.read'), name, false, aliasOf(type, name))
    },
    derivedType(type, name) {
      if (modulePath(type) === path && type.external === undefined) return name
      return add(from(type, modulePath(type), ''), name, true, aliasOf(type, name))
    },
    value(type, name) {
      if (modulePath(type) === path && type.external === undefined) return name
      return add(from(type, modulePath(type), ''), name, false, aliasOf(type, name))
    },
    tree: (file, name) => add(specifiers.local(file, path), name, false, name),
    structures: () => [...named].map(([key, names]) => declaration(key, names)),
  }
}

function declaration(key: string, names: ReadonlyMap<string, string>): Import {
  const [sort, ...specifier] = key.split(' ')
  return {
    moduleSpecifier: specifier.join(' '),
    isTypeOnly: sort === 'type',
    namedImports: [...names].map(([name, alias]) => (alias === name ? { name } : { name, alias })),
  }
}
