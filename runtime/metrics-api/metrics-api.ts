/**
 * The metrics API: what nodes and pods use now, as `kubectl top` and autoscalers read it.
 *
 *  1. Figures come from the agents, at the path `stats/summary` of their nodes through the API server; a node that does not answer in time is left
 *     out until it does, and the others go on.
 *  2. Usage of the processor is worked out between two looks, and is told with the time in between. What was seen once only is told as soon
 *     as it was started after the look before.
 *  3. It is read only. Who asks is known by the API server that passes the request on, and what that user may is asked of it, too.
 */
export { metricsServiceName, type Registration, registerMetricsApi } from './register.ts'
export { type MetricsApiOptions, serveMetricsApi } from './serve-metrics-api.ts'
