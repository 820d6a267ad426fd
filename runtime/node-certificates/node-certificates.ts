/**
 * Certificates that a node gets from its cluster, and gets anew before they end.
 *
 *  1. A key is made here and never leaves the machine: a request for its certificate is an object, which is approved and signed by the cluster.
 *  2. A request that is refused, fails, or is not answered in time is told and made again with another key, after a while.
 *  3. What is there stays in use until what comes in its place is whole.
 */
export { type KeepCertificateOptions, keepCertificate } from './keep-certificate.ts'
export { renewalTime } from './renewal-time.ts'
export {
  clientRequest,
  type NodeRequest,
  type RequestOptions,
  requestCertificate,
  servingRequest,
} from './request-certificate.ts'
