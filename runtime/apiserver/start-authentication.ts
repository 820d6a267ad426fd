import { type Authenticator, anonymousAuthenticator, unionAuthenticator } from '../auth/auth.ts'

/** The ways in which a server finds out who sends a request, in the order in which they are asked. */
export interface AuthenticationOptions {
  /** Judge the connection itself, before any token is looked at: the header of a front proxy, the client certificate. */
  readonly connection?: readonly Authenticator[]
  /** Requests without credentials are the anonymous user's. Default true. */
  readonly anonymous?: boolean
}

/** The chain of a server; undefined where every request is the anonymous user's. */
export function startAuthentication({
  connection = [],
  anonymous = true,
}: AuthenticationOptions): Authenticator | undefined {
  const members = unionAuthenticator(connection)
  if (!anonymous) return members
  if (connection.length === 0) return undefined
  return unionAuthenticator([members, anonymousAuthenticator], { failOnError: true })
}
