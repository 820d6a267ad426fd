/**
 * What every daemon serves beside its work: whether it is healthy, what it counts, how it is configured.
 *
 *  1. `/healthz`, `/livez` and `/readyz`, each with one path for each check, `/metrics`, and `/configz` where there is a
 *     configuration to show. All of it is read only and needs no object, so it is answered while nothing else works.
 *  2. The endpoints are one middleware of Koa: the API server has it among its filters, `serveDaemon` alone in an application.
 *  3. Profiles, the detail of the log and its files are pages of their own, for those daemons whose flags ask for them.
 *  4. After `stop` no timer and no socket is left.
 */
export type { DaemonAccess } from './access.ts'
export type { DaemonPage, PageContext } from './daemon-page.ts'
export type { EndpointContext } from './endpoint-context.ts'
export { type DaemonEndpoints, type DebugPage, daemonEndpoints, isEndpoint } from './endpoints.ts'
export { flagPages } from './flag-pages.ts'
export type { HealthCheck, HealthEndpoint } from './health-check.ts'
export { logPages } from './log-pages.ts'
export { profilePages } from './profile-pages.ts'
export {
  type DaemonServer,
  type ServeDaemonOptions,
  serveDaemon,
} from './serve-daemon.ts'
