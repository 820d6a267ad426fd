/** What the supervisor and a process of its group say to each other, beside the socket that they share. */

/** What the supervisor tells a process when it starts. */
export interface Welcome {
  /** From 1 on; a process that takes the place of one that ended has its number. */
  readonly number: number
  /** How many processes there are. */
  readonly count: number
  /** What all of them are told. */
  readonly facts: unknown
}

export type FromSupervisor =
  | { readonly welcome: Welcome }
  | { readonly stop: true }
  | { readonly asked: number; readonly subject: string }
  | { readonly answered: number; readonly values: readonly unknown[] }

export type FromProcess =
  | { readonly here: true }
  | { readonly ready: unknown }
  | { readonly ask: number; readonly subject: string }
  | { readonly answer: number; readonly value: unknown }
  | { readonly noAnswer: number }
