/** What the types of a manager say of controllers that write the same fields. */
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { TitleOf, TitlesOf, TitlesOfFields } from './declared-types.ts'
import type { Writing } from './writing.ts'

/**
 * The controllers of a manager, as they are. In place of one that writes what another one declares as its own stands a text that says
 * so, which no controller is assignable to. Each field is looked at from the side that writes all of it, or as much as the other.
 */
export type Disjoint<C extends readonly unknown[]> = [DeclaredBy<C[number]>] extends [never]
  ? C
  : { readonly [I in keyof C]: OrElse<Clash<C[I], DeclaredBy<C[number]>>, C[I]> }

type OrElse<Text, C> = [Text] extends [never] ? C : Text

/** Every declared field and its controller: `Service spec.selector by web`. */
type DeclaredBy<C> = C extends unknown ? `${FieldsIn<C>} by ${NameOf<C>}` : never

/** What a controller writes that others declare, in words. */
type Clash<C, Declared extends string> = Said<
  NameOf<C>,
  Exclude<WrittenOf<C, Declared>, `${string} by ${NameOf<C>}`>
>

type NameOf<C> = C extends { readonly name: infer N extends string } ? N : never

type Said<
  Name extends string,
  Field,
> = Field extends `${infer Title} ${infer Path} by ${infer Other}`
  ? `${Name} and ${Other} both write ${Path} of ${Title}: name in \`writes\` of each of them, by writing(), fields that no other one writes`
  : never

/** The declared fields that a controller writes. What it owns it writes as a whole but for the status. */
type WrittenOf<C, Declared extends string> =
  | Extract<Declared, Below<FieldsIn<C> | UsualFieldsIn<C>>>
  | Extract<Declared, `${WholeIn<C, WritesOf<C>>} ${string}`>
  | Exclude<Extract<Declared, `${WholeIn<C, OwnsOf<C>>} ${string}`>, `${string} status${string}`>

/** Fields, and those below them. */
type Below<F extends string> = `${F} by ${string}` | `${F}.${string}` | `${F}[${string}`

type WritesOf<C> = C extends { readonly writes?: readonly (infer W)[] } ? W : never

type OwnsOf<C> = C extends { readonly owns?: readonly (infer O)[] } ? O : never

/** The fields that a controller declares. */
type FieldsIn<C> = WritesOf<C> extends infer W ? FieldsOfEach<W> : never

type FieldsOfEach<W> = W extends Writing<infer T, infer F> ? `${TitleOf<T>} ${F}` : never

/** The kinds among `Kinds` of which a controller declares no fields. */
type WholeIn<C, Kinds> = Exclude<TitlesOf<Kinds>, TitlesOfFields<WritesOf<C>>>

/** What a controller may write without a word about fields: the status of the kind that it is for. */
type UsualFieldsIn<C> = C extends { readonly for: Kind<infer T> }
  ? 'status' extends keyof T
    ? `${Exclude<TitleOf<T>, TitlesOfFields<WritesOf<C>>>} status`
    : never
  : never
