/**
 * The API server put together: store, watch cache, registry and HTTP, in one process.
 *
 *  1. It is ready when `startApiServer` returns: the system namespaces are there, and the port, if one was asked for,
 *     is bound.
 *  2. After `stop` nothing is left: requests under way are answered, watches end, the store is closed.
 *  3. Several in one process share nothing.
 *
 * What runs it (a daemon, the orch command, a test) chooses tree, storage, clock and log.
 */
export {
  configurablePlugin,
  type PluginSelection as AdmissionSelection,
  type PluginSettings,
  selectionProblems as admissionProblems,
} from '../admission/admission.ts'
export { rangeProblems, type ServiceRanges } from '../apis/apis.ts'
export {
  loadClaimMapping,
  parseSigningKey,
  parseStaticTokens,
  parseVerificationKeys,
  publicPartOf,
  signatureAlgorithms,
} from '../auth/auth.ts'
export { advertiseProblems } from '../kernel/values/endpoint-addresses.ts'
export type { GroupMember } from '../processes/processes.ts'
export { type Limits, type Middleware, originMatcher } from '../server/server.ts'
export {
  type Authorities,
  certificateProblem,
  type NamedServing,
  type ProxyAuthentication,
  type SecureServing,
  type ServingFiles,
  type ServingPair,
  servingProblems,
} from '../serving/serving.ts'
export type { StoreLocation } from '../store/store.ts'
export type {
  AuthenticationOptions,
  ServiceAccountOptions,
  TokenIssuerOptions,
} from './authentication/authentication.ts'
export {
  type AuthorizationMode,
  type AuthorizationOptions,
  type AuthorizationWebhook,
  authorizationModes,
} from './authorization/authorization-options.ts'
export { loadAuthorizationConditions } from './authorization/load-authorization-conditions.ts'
export type { ApiServerOptions, RunningApiServer, ServerSnapshot } from './options.ts'
export { joinServer, loadProcesses } from './processes/load-processes.ts'
export { type ServedScheme, servedScheme } from './served-scheme.ts'
export { startApiServer } from './start.ts'
export { uncachedProblems } from './storage/uncached-resources.ts'
export type { AuditSettings, AuditWebhookSettings } from './webhooks/start-audit.ts'
