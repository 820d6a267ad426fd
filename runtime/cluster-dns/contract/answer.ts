import type { Answer } from 'dns-packet'

/** What is asked for. */
export interface Question {
  readonly name: string
  readonly type: string
}

/** What is answered. */
export interface ZoneAnswer {
  /** Whether the name is there, with records of this type or without. */
  readonly exists: boolean
  readonly answers: readonly Answer[]
  /** Addresses of what answers name. */
  readonly additionals: readonly Answer[]
  /** A name outside of the domain that the answer leads to, still to be asked for. */
  readonly outside?: string
}
