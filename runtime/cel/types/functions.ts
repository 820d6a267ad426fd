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
import type { Bounds, SimpleType, Type } from './types.ts'

/** Functions and types that an environment takes in as one. */
export interface Library {
  readonly name: string
  /** Names that stand for a type: `net.IP`. */
  readonly types?: Readonly<Record<string, Type>>
  readonly functions: readonly FunctionDeclaration[]
}

/** A function with all its overloads, methods and plain ones alike. Libraries may add overloads to one name. */
export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}

/**
 * One way to call a function.
 *
 * `call` is given values of the declared types and never an error. It must be total: what goes wrong is a returned
 * `CelError`. It must do no more work than its cost says.
 */
export interface Overload {
  /** Unique in an environment: `string_index_of_string`. */
  readonly id: string
  /** A method: the first argument is what stands before the dot. */
  readonly receiver: boolean
  readonly args: readonly Type[]
  readonly result: Type
  readonly call: (...args: Value[]) => Result
  /** What the call costs, charged before it is made. 1 if not given. */
  readonly cost?: (...args: Value[]) => number
  /** What the result costs on top, charged after the call, where it cannot be known before. */
  readonly resultCost?: (result: Value) => number
  /** The worst case, from sizes. The cost is 1 and the result of unknown size if not given. */
  readonly estimate?: (...args: ArgumentEstimate[]) => CallEstimate
  /** Literals of lists and maps in its arguments may hold members of different types. */
  readonly mixes?: boolean
  /** Compile-time check of constant arguments (undefined: not constant); the text is a compile error. */
  readonly validate?: (constants: readonly (Value | undefined)[]) => string | undefined
  /** The same made faster for these constant arguments: a compiled pattern, say. */
  readonly prepare?: (constants: readonly (Value | undefined)[]) => Prepared | undefined
}

/** What an overload does and costs where some arguments are constant. */
export type Prepared = Pick<Overload, 'call' | 'cost'>

/** From least to most, both saturating at 2^64 - 1. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** What the estimate knows of an argument: elements, code points or bytes in `size`. */
export interface ArgumentEstimate {
  readonly type: Type
  readonly size: Range
  readonly bounds: Bounds | undefined
  /** The value, if the argument is a literal. */
  readonly literal: Value | undefined
}

/** The worst case of a call without its arguments; and of its result's size. */
export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
  readonly bounds?: Bounds
}

/** Cost of walking `size` characters: a tenth each, rounded up. */
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
  readonly validate?: Overload['validate']
  readonly prepare?: Overload['prepare']
}

/** Declares a plain function's overload: `isURL(string) -> bool`. */
export function overload<const A extends readonly Type[]>(
  id: string,
  args: A,
  result: Type,
  call: (...args: ValuesOf<A>) => Result,
  extras: OverloadExtras<A> = {},
): Overload {
  return { id, receiver: false, args, result, call, ...extras } as unknown as Overload
}

/** Declares a method's overload; the first type is the receiver's: `string.charAt(int) -> string`. */
export function method<const A extends readonly Type[]>(
  id: string,
  args: A,
  result: Type,
  call: (...args: ValuesOf<A>) => Result,
  extras: OverloadExtras<A> = {},
): Overload {
  return { id, receiver: true, args, result, call, ...extras } as unknown as Overload
}
