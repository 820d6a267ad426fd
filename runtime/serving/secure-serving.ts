/** Where and how a server listens with TLS. */
import type { RequestHeaderOptions } from '../auth/auth.ts'

/** Certificate, with those of its authorities behind it, and key, in PEM. */
export interface ServingPair {
  readonly cert: string
  readonly key: string
}

/** Files with the same, which are read again when they change. */
export interface ServingFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** A certificate for clients that ask for certain names. */
export type NamedServing = (ServingPair | ServingFiles) & {
  /** Host names, or `*.` and what is below a name. Without any: those of the certificate. */
  readonly names?: readonly string[]
}

/** Certificates of authorities in PEM, a file with them, which is read again when it changes, or what tells of them now and whenever they change. */
export type Authorities =
  | { readonly pem: string }
  | { readonly file: string }
  | { readonly follow: (use: (pem: string) => void) => void }

/** Proxies that name users in headers: who vouches for them, and what the headers are called. */
export type ProxyAuthentication = { readonly authorities: Authorities } & Pick<
  RequestHeaderOptions,
  'allowedNames' | 'usernameHeaders' | 'groupHeaders' | 'extraHeaderPrefixes'
>

/** A listener with TLS. It asks clients for certificates where an authority for them is named. */
export interface SecureServing {
  /** A name or an address of this machine. Default 127.0.0.1. */
  readonly host?: string
  /** 0 picks one that is free. */
  readonly port: number
  readonly certificate: ServingPair | ServingFiles
  /** Certificates for other names of the server. */
  readonly named?: readonly NamedServing[]
  /** Who vouches for certificates of clients: the common name is the user, the organizations are the groups. */
  readonly clientAuthorities?: Authorities
  /** Proxies whose certificates are other ones, and who name users. Default: none. */
  readonly requestHeader?: ProxyAuthentication
  /** Default TLS 1.2. */
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
  /** The names of cipher suites as OpenSSL has them, joined by colons. Default: those of Node. */
  readonly cipherSuites?: string
}
