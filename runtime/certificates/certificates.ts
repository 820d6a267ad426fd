/**
 * Certificates of X.509: made for authorities, servers and clients, read from files, and verified as those of clients.
 *
 *  1. DER is read and written by `@peculiar/x509` and by Node, never by lines of ours. The library is loaded when a
 *     certificate is first made or verified, not before.
 *  2. Keys are of the curve P-256. Texts are PEM.
 *  3. What is read or verified may be anything: what is wrong is said, and nothing is thrown by what a peer sent.
 */

export {
  type CertificateFacts,
  type CertificatePair,
  createAuthority,
  issueCertificate,
} from './issue.ts'
export { makeRequest, type RequestedSubject } from './make-request.ts'
export { readCertificates, readPair } from './pem.ts'
export {
  type CertificateRequest,
  readRequest,
  type SigningFacts,
  signRequest,
} from './requests.ts'
export { subjectOf } from './subject.ts'
export { type VerifiedCertificate, verifyClient } from './verify-client.ts'
