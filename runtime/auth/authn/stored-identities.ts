import type { Awaitable } from '../../kernel/async/awaitable.ts'

/** What tokens need to know of a stored object that they are bound to. */
export interface StoredIdentity {
  readonly uid: string
  /** Milliseconds since the epoch; set while the object is being deleted. */
  readonly deletedAt?: number
}

/** A service account, as far as its tokens go. */
export interface StoredAccount extends StoredIdentity {
  /** The names of the secrets that it references. */
  readonly secrets: readonly string[]
}

/** A secret, as far as tokens go. */
export interface StoredSecret extends StoredIdentity {
  readonly type: string
  readonly labels: Readonly<Record<string, string>>
  /** The text of one of its values; undefined if it has none of that name. */
  value(key: string): string | undefined
}

/**
 * Where authenticators look up the objects that tokens name. It answers without a promise from memory, and with undefined for
 * what is not stored. An account or a pod that has not changed is the same value again.
 */
export interface IdentitySource {
  serviceAccount(namespace: string, name: string): Awaitable<StoredAccount | undefined>
  pod(namespace: string, name: string): Awaitable<StoredIdentity | undefined>
  node(name: string): Awaitable<StoredIdentity | undefined>
  secret(namespace: string, name: string): Awaitable<StoredSecret | undefined>
  /** Notes on a secret that its token was used on a day, `2026-01-31`. A failure is for the log of the source. */
  noteUse(namespace: string, name: string, uid: string, day: string): void
}
