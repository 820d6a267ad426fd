import type { ClientVerb } from './request-facts.ts'

/** What goes wrong with a request. */
export type Fault =
  /** The server refuses it with this status, and does nothing. */
  | { readonly is: 'status'; readonly code: FaultCode; readonly retryAfterSeconds?: number }
  /** There is no connection, and nothing is done. */
  | { readonly is: 'refused' }
  /** The server does it, and the connection breaks before its answer is there. */
  | { readonly is: 'lost' }
  /** The server gets it so much later. */
  | { readonly is: 'slow'; readonly ms: number }
  /** The stream of a watch breaks after so many events, or ends as if all were well. */
  | { readonly is: 'broken' | 'ended'; readonly afterEvents: number }
  /** The stream of a watch stands still after so many events, and goes on after a while. */
  | { readonly is: 'frozen'; readonly afterEvents: number; readonly ms: number }
  /** The stream of a watch stands still after so many events, and for ever: the other end is gone, and nothing says so. */
  | { readonly is: 'half-open'; readonly afterEvents: number }

/** The statuses that a server refuses with when nothing is wrong with the request. */
export type FaultCode = 409 | 410 | 429 | 500 | 503

/** Which requests a fault befalls. Of the rules of a transport the first that fits and is not used up counts. */
export interface FaultRule {
  readonly fault: Fault
  /** Default: any. */
  readonly verb?: ClientVerb
  /** The plural name of the kind, such as `pods`. Default: any. */
  readonly resource?: string
  readonly name?: string
  /** How many of the requests that fit are let through first. Default 0. */
  readonly skip?: number
  /** How many times it happens. Default: again and again. */
  readonly times?: number
  /** How likely it is for each request that fits, from 0 to 1. Default 1. */
  readonly chance?: number
}
