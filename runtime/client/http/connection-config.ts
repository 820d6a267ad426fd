import type { Awaitable } from '../../kernel/async/awaitable.ts'

/** How to reach one server as one user. Certificates and keys are PEM text. */
export interface ConnectionConfig {
  /** `http://127.0.0.1:8080`, with a path prefix if there is one. */
  readonly server: string
  /** Where names without a namespace are looked up. */
  readonly namespace: string
  /** The certificate authority of the server. Default: those that Node trusts. */
  readonly ca?: string
  /** Do not verify the server's certificate. */
  readonly insecure?: boolean
  /** The name to verify in the server's certificate, if it is not the address. */
  readonly serverName?: string
  /** A bearer token, which goes before a username. */
  readonly token?: string
  readonly username?: string
  readonly password?: string
  /** The certificate of the client, and its private key. */
  readonly cert?: string
  readonly key?: string
  /** Gives credentials that change: tokens, certificates and keys, in the place of those above. */
  readonly credentials?: CredentialSource
  /** Whom to act as, for users who may. Every request says so. */
  readonly impersonate?: Impersonation
  /** `http://`, `https://` or `socks5://`, with user and password if it asks for them: the proxy for all requests. */
  readonly proxy?: string
  /** Whether long answers may come compressed. Default: unless the server is on this machine. */
  readonly compression?: boolean
  /** Whether HTTP/2 may be spoken, where the server offers it. Default: yes. */
  readonly http2?: boolean
  /** Where the credentials come from, as messages say it: `user "ann" of ./orchconfig`. */
  readonly origin?: string
}

/** Another user, as whom requests are made. */
export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Who a client is, and whom it trusts. */
export type Credentials = Pick<
  ConnectionConfig,
  'token' | 'username' | 'password' | 'cert' | 'key' | 'ca'
>

/** Credentials that change: files that are written anew, programs that fetch tokens. */
export interface CredentialSource {
  /**
   * What the next request is sent with: the same object for as long as nothing has changed.
   *
   * @throws StatusError `Unauthorized` if there are none.
   */
  current(): Awaitable<Credentials>
  /** The server did not accept these. True if `current` may give others now. */
  refused(credentials: Credentials): Awaitable<boolean>
}
