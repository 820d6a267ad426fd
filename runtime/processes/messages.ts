import type { AddressInfo } from 'node:net'

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
  | { readonly listening: string; readonly address: AddressInfo }
  | { readonly listening: string; readonly problem: PortProblem }
  /** A connection comes with it. */
  | { readonly connection: string }
  | { readonly welcome: Welcome }
  | { readonly stop: true }
  | { readonly asked: number; readonly subject: string }
  | { readonly answered: number; readonly values: readonly unknown[] }

/** Why an address cannot be bound: what an error of node:net says. */
export interface PortProblem {
  readonly message: string
  readonly code: string | undefined
}

/** What a process says of a port, which has a name. */
export type AboutPort =
  /** It takes connections that come to this address. */
  | { readonly listen: string; readonly host: string; readonly port: number }
  /** It has the connection that it was given. */
  | { readonly taken: string }
  /** It has left, and does not take the connection that it was given. */
  | { readonly returned: string }
  | { readonly leave: string }

export type FromProcess =
  | AboutPort
  | { readonly here: true }
  | { readonly ready: unknown }
  | { readonly ask: number; readonly subject: string }
  | { readonly answer: number; readonly value: unknown }
  | { readonly noAnswer: number }

/** True for what is said of a port. */
export function isAboutPort(message: FromProcess): message is AboutPort {
  return 'listen' in message || 'taken' in message || 'returned' in message || 'leave' in message
}
