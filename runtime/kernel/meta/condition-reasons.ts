/** Stands in the type of a condition for the reasons that each of its types may have. There is no such field: only the compiler reads it. */
export declare const conditionReasons: unique symbol

/** The conditions of a type `C`, as they are set: of each of its types only with a reason that the schema declares for it. */
export type WantedCondition<C> = C extends { readonly [conditionReasons]?: infer Reasons }
  ? ConditionOf<C, NonNullable<Reasons>>
  : Omit<C, 'lastTransitionTime'>

type ConditionOf<C, Reasons> = {
  [Type in keyof Reasons]: Omit<
    C,
    'lastTransitionTime' | 'type' | 'reason' | typeof conditionReasons
  > & { readonly type: Type; readonly reason: Reasons[Type] }
}[keyof Reasons]
