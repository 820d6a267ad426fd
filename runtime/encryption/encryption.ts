/**
 * Encryption at rest: values that the database holds encrypted, and the store gives back as they were written.
 *
 *  1. A value is bound to its key in the store: moved to another one it cannot be decrypted. Changed bytes are noticed, whatever
 *     the method.
 *  2. The first provider of a resource encrypts, all of them decrypt. A value that was not encrypted by the first one is outdated: an
 *     update that changes nothing else writes it anew.
 *  3. Nothing is lost by a configuration: one that cannot decrypt all that is stored is refused as a whole, with what is missing.
 *  4. Secrets are in no message. With a key service, its keys never come here; the secrets that it encrypts stay in memory.
 *
 * What is stored begins with the method and the name of its key. This module knows no objects: who opens a store says which resource a key is of.
 */
export {
  type EncryptionContext,
  type EncryptionProblem,
  encryptionProblems,
  encryptionRules,
} from './configuration.ts'
export { type EncryptedStore, openEncryptedStore } from './encrypted-store.ts'
export { type EncryptionMetrics, encryptionMetrics } from './encryption-metrics.ts'
export { EncryptionRules, type GroupResource } from './encryption-rules.ts'
export type { Provider } from './providers/provider.ts'
export type { EncryptionOptions } from './stored-values.ts'
