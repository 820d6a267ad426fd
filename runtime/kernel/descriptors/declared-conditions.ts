/** What a schema declares about the conditions of a kind's status. */

/** One type of condition. */
export interface DeclaredCondition {
  /** Its reasons, each with what it means; an empty text where the schema does not say. */
  readonly reasons: Readonly<Record<string, string>>
  /** The status that it has on an object in order. Absent: it says nothing about that. */
  readonly healthy?: string
  /** So many seconds it may have another status before it calls for an alert. Absent: it never does. */
  readonly alertAfterSeconds?: number
}

/** The types of conditions that a kind declares, by name. */
export type DeclaredConditions = Readonly<Record<string, DeclaredCondition>>
