import type { SecureContext, SecureContextOptions } from 'node:tls'

/** What a listener shows to clients that speak TLS, as it is now. */
export interface TlsSource {
  /** For clients that ask for no name, or for none of the others. */
  readonly fallback: SecureContextOptions
  /** What a client is shown that asks for a name; undefined for the fallback. */
  contextFor(name: string): SecureContext | undefined
  /** Calls `use` with each later fallback. */
  onChange(use: (fallback: SecureContextOptions) => void): void
  /** True if clients are asked for a certificate. They may send any, or none. */
  readonly asksForCertificates: boolean
}
