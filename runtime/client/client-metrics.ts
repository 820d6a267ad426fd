import type { Metrics } from '../observe/observe.ts'

/** What a client counts of its requests. */
export interface ClientMetrics {
  /** A request got a response after `ms` milliseconds; without a code, it failed before there was one. */
  answered(method: string, code: number | undefined, ms: number): void
  /** A request had a body of so many bytes. */
  sent(method: string, bytes: number): void
  /** A response had a body of so many bytes. */
  received(method: string, bytes: number): void
  /** A request waited so many milliseconds for the client's own limit. */
  waited(method: string, ms: number): void
  /** The name of the server was looked up, for a connection. */
  resolved(ms: number): void
  /** A request that the server refused for now is sent again. */
  repeated(method: string, code: number): void
}

/** Counts under the host that the client talks to. */
export function createClientMetrics(metrics: Metrics, host: string): ClientMetrics {
  const requests = metrics.counter('rest_client_requests_total')
  const seconds = metrics.histogram('rest_client_request_duration_seconds')
  const retries = metrics.counter('rest_client_request_retries_total')
  const waits = metrics.histogram('rest_client_rate_limiter_duration_seconds')
  const lookups = metrics.histogram('rest_client_dns_resolution_duration_seconds')
  const outgoing = metrics.histogram('rest_client_request_size_bytes')
  const incoming = metrics.histogram('rest_client_response_size_bytes')
  return {
    answered(method, code, ms) {
      requests.add([code === undefined ? '<error>' : String(code), method, host])
      seconds.observe([method, host], ms / 1000)
    },
    sent: (method, bytes) => outgoing.observe([method, host], bytes),
    received: (method, bytes) => incoming.observe([method, host], bytes),
    waited: (method, ms) => waits.observe([method, host], ms / 1000),
    resolved: (ms) => lookups.observe([host], ms / 1000),
    repeated: (method, code) => retries.add([String(code), method, host]),
  }
}
