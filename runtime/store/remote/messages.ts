/** What the owner of a store and the other processes of its server say to each other. */
import type { Entry, ListOptions, Page, Revision, StoreEvent } from '../contract.ts'
import { StoreError } from '../errors.ts'
import type { Change, Write } from '../log-store.ts'

/** What can be asked, what is given piece by piece, and what at the end. */
export interface Calls {
  readonly get: Call<[key: string], never, Entry | undefined>
  readonly list: Call<
    [prefix: string, options: ListOptions],
    readonly Entry[],
    Pick<Page, 'revision' | 'remaining'>
  >
  readonly append: Call<[write: Write], never, Landed>
  readonly delete: Call<[key: string, expected: Revision], never, StoreEvent>
  readonly watch: Call<[prefix: string, after: Revision], readonly StoreEvent[], void>
  readonly changes: Call<[after: Revision], readonly Change[], void>
  readonly replaced: Call<[revisions: readonly Revision[]], readonly Entry[], void>
  readonly revision: Call<[], never, Revision>
  readonly compact: Call<[revision: Revision], never, void>
  readonly check: Call<[], never, void>
}

interface Call<Args extends readonly unknown[], Item, Result> {
  readonly args: Args
  readonly item: Item
  readonly result: Result
}

/** What a write became: who sent it knows the rest. */
export type Landed = Pick<Change, 'revision' | 'previousRevision' | 'createRevision'>

/** To the owner: a call, or the end of the interest in one. */
export type Request =
  | { readonly id: number; readonly name: keyof Calls; readonly args: readonly unknown[] }
  | { readonly id: number; readonly cancel: true }

/** From the owner: what the store is, how far its history goes back, or something about a call. */
export type Reply =
  | { readonly store: string; readonly compacted: Revision }
  | { readonly compacted: Revision }
  | { readonly id: number; readonly item: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }

/** An error on its way. */
export interface SentError {
  readonly message: string
  readonly reason?: StoreError['reason']
  readonly current?: Entry | undefined
}

export function sentError(error: unknown): SentError {
  const { message } = error instanceof Error ? error : new Error(String(error))
  return error instanceof StoreError
    ? { message, reason: error.reason, current: error.current }
    : { message }
}

/** The error that was sent. */
export function receivedError({ message, reason, current }: SentError): Error {
  return reason === undefined ? new Error(message) : new StoreError(reason, message, current)
}
