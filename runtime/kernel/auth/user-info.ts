/**
 * The user on whose behalf a request is made, in the form in which the authentication API, admission reviews and audit
 * events carry it. It is the one type of a caller: what an authenticator says is what every later step sees.
 */
export interface UserInfo {
  readonly username: string
  /** Tells apart users who bore the same name at different times; absent where the authenticator knows none. */
  readonly uid?: string
  readonly groups: readonly string[]
  /** What the authenticator knows beyond that, such as scopes, for authorizers and audit policies. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
}
