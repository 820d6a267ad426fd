/** Where and how a server listens with TLS. */

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

/** A listener with TLS. It asks clients for certificates, and takes any: authenticators verify them. */
export interface SecureServing {
  /** A name or an address of this machine. Default 127.0.0.1. */
  readonly host?: string
  /** 0 picks one that is free. */
  readonly port: number
  readonly certificate: ServingPair | ServingFiles
  /** Certificates for other names of the server. */
  readonly named?: readonly NamedServing[]
  /** Files with the authorities of clients: their names are told to clients, which choose a certificate by them. */
  readonly clientAuthorities?: readonly string[]
  /** Default TLS 1.2. */
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
  /** The names of cipher suites as OpenSSL has them, joined by colons. Default: those of Node. */
  readonly cipherSuites?: string
}
