/**
 * Serving: what listeners with TLS show, and who is known by the certificates that clients show them.
 *
 *  1. Certificates, keys and authorities are given as they are or as files, which are followed: what they say counts for connections from
 *     then on, and who vouches for clients for requests from then on. What cannot be used is told, and changes nothing.
 *  2. A connection has one user: sessions are neither resumed nor negotiated anew.
 *  3. A client that speaks HTTP to a port with TLS is told so.
 */
export { certificateProblem } from './certificate-problem.ts'
export { loadSecureServer } from './load-secure-server.ts'
export type { SecureServer } from './secure-server.ts'
export type {
  Authorities,
  NamedServing,
  ProxyAuthentication,
  SecureServing,
  ServingFiles,
  ServingPair,
} from './secure-serving.ts'
export { type Following, followPair } from './serving-files.ts'
export {
  type Serving,
  servingProblems,
  startServing,
  type TrustedAuthorities,
} from './start-serving.ts'
export { peerOf } from './tls-peer.ts'
export type { TlsSource } from './tls-source.ts'
