/** The contract of functions: libraries, overloads, and what they cost. */

import type { SimpleType, Type } from '../types/types.ts'
import type {
  Double,
  Duration,
  Int,
  List,
  MapLike,
  Opaque,
  Optional,
  Result,
  Timestamp,
  TypeValue,
  Uint,
  Value,
} from '../values/values.ts'

/** Functions and types that an environment takes in together. */
export interface Library {
  readonly name: string
  /** Names that stand for a type: `net.IP`. */
  readonly types?: Readonly<Record<string, Type>>
  readonly functions: readonly FunctionDeclaration[]
}

/**
 * A function with all its overloads, methods and plain ones alike. Libraries may add overloads to a function of another
 * library.
 */
export interface FunctionDeclaration {
  readonly name: string
  /** True for what the release accepts in stored expressions only, so that the one before it can read new ones. */
  readonly later?: boolean
  readonly overloads: readonly Overload[]
}

/**
 * One way to call a function.
 *
 * `call` gets values of the declared types and never an error. It must be total: what goes wrong is a returned
 * `CelError`. It must not do more work than its cost says, or take steps for it.
 */
export interface Overload {
  /** Unique in an environment: `string_index_of_string`. */
  readonly id: string
  /** True for a method: the first argument is what stands before the dot. */
  readonly receiver: boolean
  readonly args: readonly Type[]
  readonly result: Type
  readonly call: (...args: Value[]) => Result
  /** What the call costs, charged before it is made; 1 by default. */
  readonly cost?: (...args: Value[]) => number
  /** What the result costs on top, charged after the call: for results whose size cannot be known before. */
  readonly resultCost?: (result: Value) => number
  /** The worst case, from the sizes of the arguments; by default the cost is 1 and the result of unknown size. */
  readonly estimate?: (...args: ArgumentEstimate[]) => CallEstimate
  /** Literals of lists and maps in the arguments may have members of different types. */
  readonly mixes?: boolean
  /** Why constant arguments (undefined: not constant) can never be right; that refuses the expression. */
  readonly validate?: (constants: readonly (Value | undefined)[]) => string | undefined
  /** True if the cost stands for waiting and not for work. */
  readonly waits?: boolean
  /** True if the cost holds only where no other overload may be meant: it is 1 otherwise. */
  readonly narrow?: boolean
  /** The same made faster for these constant arguments: with a compiled pattern, say. */
  readonly prepare?: (constants: readonly (Value | undefined)[]) => Prepared | undefined
}

/** What an overload does and costs where some arguments are constant. */
export type Prepared = Pick<Overload, 'call' | 'cost'>

/** From least to most, both saturating at 2^64. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** What the estimate knows of an argument. Sizes are in elements, code points or bytes. */
export interface ArgumentEstimate {
  readonly type: Type
  readonly size: Range
  /** The size of an item of a list. */
  readonly items: Range
  /** The value, if the argument is a literal. */
  readonly literal: Value | undefined
}

/** The worst case of a call without its arguments, and the size of its result. */
export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
}

/** The cost of walking `size` characters: a tenth each, rounded up. */
export function traversal(size: number): number {
  return Math.ceil(size * 0.1)
}

/** The TypeScript type of the values of a declared type. */
export type ValueOf<T extends Type> =
  T extends SimpleType<infer K>
    ? {
        null: null
        bool: boolean
        int: Int
        uint: Uint
        double: Double
        string: string
        bytes: Uint8Array
        duration: Duration
        timestamp: Timestamp
        dyn: Value
        error: Value
      }[K]
    : T extends { readonly kind: 'list' }
      ? List
      : T extends { readonly kind: 'map' }
        ? MapLike
        : T extends { readonly kind: 'optional' }
          ? Optional
          : T extends { readonly kind: 'opaque' }
            ? Opaque
            : T extends { readonly kind: 'type' }
              ? TypeValue
              : Value

/** The TypeScript types of the values of declared types. */
export type ValuesOf<A extends readonly Type[]> = { -readonly [I in keyof A]: ValueOf<A[I]> }

/** What an overload may add to its signature. */
export interface OverloadExtras<A extends readonly Type[]> {
  readonly cost?: (...args: ValuesOf<A>) => number
  readonly resultCost?: (result: Value) => number
  readonly estimate?: Overload['estimate']
  readonly mixes?: boolean
  readonly narrow?: boolean
  readonly waits?: boolean
  readonly validate?: Overload['validate']
  readonly prepare?: Overload['prepare']
}

/** Declares an overload of a plain function: `isURL(string) -> bool`. */
export function overload<const A extends readonly Type[]>(
  id: string,
  args: A,
  result: Type,
  call: (...args: ValuesOf<A>) => Result,
  extras: OverloadExtras<A> = {},
): Overload {
  return { id, receiver: false, args, result, call, ...extras } as unknown as Overload
}

/** Declares an overload of a method; the first type is the receiver's: `string.charAt(int) -> string`. */
export function method<const A extends readonly Type[]>(
  id: string,
  args: A,
  result: Type,
  call: (...args: ValuesOf<A>) => Result,
  extras: OverloadExtras<A> = {},
): Overload {
  return { id, receiver: true, args, result, call, ...extras } as unknown as Overload
}
