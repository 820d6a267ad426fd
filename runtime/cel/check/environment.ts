/** Environments: what names mean in expressions. */
import { invariant } from '../../kernel/errors/invariant.ts'
import type { FunctionDeclaration, Library, Overload, Prepared } from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import { optionals } from '../standard/optionals.ts'
import { standard } from '../standard/standard.ts'
import type { MacroSet } from '../syntax/macros.ts'
import type { Bounds, Type } from '../types/types.ts'
import * as types from '../types/types.ts'
import type { Result } from '../values/values.ts'

/** A variable. Its name may have dots: `authorizer.requestResource`. */
export interface Variable {
  readonly name: string
  readonly type: Type
  /** Turns what is bound into a value; `adopt` by default. */
  readonly read?: (raw: unknown) => Result
}

/** What names mean. Created once, and shared by all expressions over the same variables. */
export interface EnvironmentOptions {
  readonly variables?: readonly Variable[]
  readonly libraries?: readonly Library[]
  /** False: calls of library functions cost 1, and what they cost more is taken in steps. */
  readonly libraryCosts?: boolean
  /** The namespace in which names are resolved first: in `a.b`, `x` is `a.b.x`, else `a.x`, else `x`. */
  readonly container?: string
  /** Members of a list or map literal must have one type; true by default. */
  readonly homogeneousLiterals?: boolean
  /** False: what does not fit its type is an error when it is evaluated, not when it is compiled. True by default. */
  readonly checked?: boolean
  /** Syntax beyond the core; by default `optionals` alone is allowed. */
  readonly macros?: Partial<MacroSet>
}

/** What names mean. Made once, shared by all expressions over the same variables. */
export interface Environment {
  /** Expressions that may use functions which new ones may not; undefined if every expression may. */
  readonly stored?: ReadonlySet<string> | undefined
  readonly laterFunctions: ReadonlySet<string>
  readonly variables: ReadonlyMap<string, Variable>
  /** How large the value is that estimates take every variable for. */
  readonly bounds?: Bounds | undefined
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  readonly types: ReadonlyMap<string, Type>
  readonly container: string
  readonly homogeneousLiterals: boolean
  readonly checked: boolean
  readonly macros: MacroSet
}

const dyn = types.dynType
/** The types that have names in expressions. */
const coreTypes: readonly (readonly [string, Type])[] = [
  ['bool', types.boolType],
  ['int', types.intType],
  ['uint', types.uintType],
  ['double', types.doubleType],
  ['string', types.stringType],
  ['bytes', types.bytesType],
  ['null_type', types.nullType],
  ['list', types.listType(dyn)],
  ['map', types.mapType(dyn, dyn)],
  ['type', types.typeType(dyn)],
  ['google.protobuf.Duration', types.durationType],
  ['google.protobuf.Timestamp', types.timestampType],
]

/** Creates an environment. An overload that two libraries declare is a programming error and throws. */
export function createEnvironment(options: EnvironmentOptions): Environment {
  const macros = { optionals: true, twoVariables: false, bind: false, ...options.macros }
  const libraries = [
    standard,
    ...(macros.optionals ? [optionals] : []),
    ...(options.libraryCosts === false ? unpriced(options.libraries) : (options.libraries ?? [])),
  ]
  return {
    variables: new Map((options.variables ?? []).map((variable) => [variable.name, variable])),
    functions: functionsOf(libraries),
    laterFunctions: new Set(
      libraries.flatMap(({ functions }) =>
        functions.filter(({ later }) => later).map(({ name }) => name),
      ),
    ),
    types: new Map([
      ...coreTypes,
      ...libraries.flatMap((library) => Object.entries(library.types ?? {})),
    ]),
    container: options.container ?? '',
    homogeneousLiterals: options.homogeneousLiterals ?? true,
    checked: options.checked ?? true,
    macros,
  }
}

/** Libraries whose calls cost 1. */
function unpriced(libraries: readonly Library[] = []): readonly Library[] {
  return libraries.map((library) => ({
    ...library,
    functions: library.functions.map((declaration) => ({
      ...declaration,
      overloads: declaration.later ? declaration.overloads : declaration.overloads.map(steppedOf),
    })),
  }))
}

/** The overload at a cost of 1. */
function steppedOf({ cost, resultCost: _, prepare, ...overload }: Overload): Overload {
  const { call, waits } = overload
  if (cost === undefined || waits === true) return overload
  const stepped: Overload['call'] = (...args) => {
    spendSteps(cost(...args))
    return call(...args)
  }
  if (prepare === undefined) return { ...overload, call: stepped }
  return { ...overload, call: stepped, prepare: (constants) => withoutCost(prepare(constants)) }
}

function withoutCost(prepared: Prepared | undefined): Prepared | undefined {
  return prepared && { call: prepared.call }
}

/** An environment with more variables (a new one hides an old one of its name) that shares everything else. */
export function withVariables(
  environment: Environment,
  variables: readonly Variable[],
  bounds = environment.bounds,
): Environment {
  const added = variables.map((variable) => [variable.name, variable] as const)
  return { ...environment, bounds, variables: new Map([...environment.variables, ...added]) }
}

/**
 * The environment as an expression sees it: one that is not stored yet may not use what the release before this one did
 * not know.
 */
export function environmentOf(environment: Environment, source: string): Environment {
  const { stored, laterFunctions } = environment
  if (stored === undefined || laterFunctions.size === 0 || stored.has(source)) return environment
  return { ...environment, functions: earlierFunctions(environment) }
}

/** What the release before knew of the functions of an environment, once for each set of libraries. */
function earlierFunctions({ functions, laterFunctions }: Environment): Environment['functions'] {
  const known = earlier.get(functions)
  if (known !== undefined) return known
  const allowed = new Map([...functions].filter(([name]) => !laterFunctions.has(name)))
  earlier.set(functions, allowed)
  return allowed
}

const earlier = new WeakMap<Environment['functions'], Environment['functions']>()

/** The overloads of libraries by function name, built once for the same libraries. */
function functionsOf(libraries: readonly Library[]): ReadonlyMap<string, readonly Overload[]> {
  const known = remembered.get(libraryNames(libraries))
  if (known !== undefined && sameLibraries(known.libraries, libraries)) return known.functions
  const functions = new Map<string, Overload[]>()
  const ids = new Set<string>()
  for (const declaration of libraries.flatMap((library) => library.functions)) {
    declare(functions, ids, declaration)
  }
  remembered.set(libraryNames(libraries), { libraries, functions })
  return functions
}

interface Remembered {
  readonly libraries: readonly Library[]
  readonly functions: ReadonlyMap<string, readonly Overload[]>
}

/**
 * By the names of the libraries. The sets of libraries in a process are few, so entries are never
 * dropped.
 */
const remembered = new Map<string, Remembered>()

function libraryNames(libraries: readonly Library[]): string {
  return libraries.map(({ name }) => name).join()
}

/** By identity: two libraries of one name may declare different functions. */
function sameLibraries(a: readonly Library[], b: readonly Library[]): boolean {
  return a.every((library, index) => library === b[index])
}

/** Overloads of one function from several libraries are tried in the order of the libraries. */
function declare(
  functions: Map<string, Overload[]>,
  ids: Set<string>,
  { name, overloads }: FunctionDeclaration,
): void {
  const all = functions.get(name) ?? []
  for (const overload of overloads) {
    invariant(!ids.has(overload.id), `overload ${overload.id} is declared once`)
    ids.add(overload.id)
    all.push(overload)
  }
  functions.set(name, all)
}

/** The full names that a name may mean, those of the innermost namespace first. */
export function candidates(container: string, name: string): readonly string[] {
  if (container === '') return [name]
  const parts = container.split('.')
  return [...parts.keys(), parts.length]
    .reverse()
    .map((count) => [...parts.slice(0, count), name].join('.'))
}
