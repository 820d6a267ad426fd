/** Import declarations in the order and form that the formatter gives them. */
import type { ImportDeclarationStructure, ImportSpecifierStructure } from 'ts-morph'

/** An import as an emitter gives it. */
export type Import = Omit<ImportDeclarationStructure, 'kind'>

/** One imported name. */
type Specifier = { readonly name: string; readonly alias?: string; readonly type: boolean }

/**
 * One declaration for each module, in the formatter's order: packages first, then relative paths from far to near;
 * names in alphabetical order. A name that is imported both as a value and as a type is a value.
 */
export function mergeImports(imports: readonly Import[]): readonly Import[] {
  const modules = new Map<string, Map<string, Specifier>>()
  for (const each of imports) {
    const names = modules.get(each.moduleSpecifier) ?? new Map<string, Specifier>()
    modules.set(each.moduleSpecifier, names)
    for (const specifier of specifiersOf(each)) {
      const key = `${specifier.name} ${specifier.alias ?? ''}`
      const known = names.get(key)
      names.set(key, { ...specifier, type: specifier.type && known?.type !== false })
    }
  }
  return [...modules]
    .sort(([a], [b]) => compareModules(a, b))
    .map(([moduleSpecifier, names]) => declarationOf(moduleSpecifier, [...names.values()]))
}

/** The names of a declaration as they stand between its braces. */
export function namesOf(declaration: Import): readonly string[] {
  return specifiersOf(declaration).map(({ name, alias, type }) => {
    const mark = type && declaration.isTypeOnly !== true ? 'type ' : ''
    return `${mark}${name}${alias === undefined ? '' : ` as ${alias}`}`
  })
}

function specifiersOf(each: Import): readonly Specifier[] {
  if (!Array.isArray(each.namedImports)) return []
  return each.namedImports.map((named: string | Omit<ImportSpecifierStructure, 'kind'>) => {
    if (typeof named === 'string') return { name: named, type: each.isTypeOnly === true }
    const alias = named.alias === undefined ? {} : { alias: named.alias }
    const type = each.isTypeOnly === true || named.isTypeOnly === true
    return { name: named.name, type, ...alias }
  })
}

/** A declaration of type names only is an `import type`; among values each type is marked. */
function declarationOf(moduleSpecifier: string, names: readonly Specifier[]): Import {
  const allTypes = names.every(({ type }) => type)
  const namedImports = [...names].sort(compareNames).map(({ name, alias, type }) => ({
    name,
    ...(alias === undefined ? {} : { alias }),
    isTypeOnly: type && !allTypes,
  }))
  return { moduleSpecifier, namedImports, isTypeOnly: allTypes }
}

function compareNames(a: Specifier, b: Specifier): number {
  return compareWords(a.name, b.name) || compareWords(a.alias ?? '', b.alias ?? '')
}

/** Packages before relative paths, then by the number of `../`, then by name. */
function compareModules(a: string, b: string): number {
  const distance = ups(b) - ups(a)
  if (isRelative(a) !== isRelative(b)) return isRelative(a) ? 1 : -1
  return distance || compareWords(stem(a), stem(b))
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.')
}

/** The specifier without its extension: `./service.ts` comes before `./service-account.ts`. */
function stem(specifier: string): string {
  return specifier.replace(/\.[jt]s$/, '')
}

function ups(specifier: string): number {
  return specifier.split('../').length - 1
}

/**
 * The formatter's order: by letter regardless of case, the capital first of two that are equal; digits by their value.
 */
function compareWords(a: string, b: string): number {
  const [x, y] = [partsOf(a), partsOf(b)]
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = compareParts(x[i]!, y[i]!)
    if (order !== 0) return order
  }
  return x.length - y.length
}

function partsOf(word: string): readonly string[] {
  return word.match(/[0-9]+|[^0-9]/g) ?? []
}

function compareParts(a: string, b: string): number {
  const numbers = Number(a) - Number(b)
  if (numbers) return numbers
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  if (x !== y) return x < y ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
