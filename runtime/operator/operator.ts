/**
 * Operator: what a program with controllers tells those who run it.
 *
 *  1. `/healthz` and `/readyz` answer for probes, `/metrics` for scrapers, `/debug/orch` for people who look for a reason; the latter to
 *     the same machine only, which a port forward counts as.
 *  2. A copy that waits for its lease is as ready as one that works.
 *  3. Nothing of it is loaded before it is asked for.
 */
export { type OwnMetric, operatorMetrics } from './operator-metrics.ts'
export { type GraphFormat, graphFormats, printGraph } from './print-graph.ts'
export { type OperatorServer, type ServeOperatorOptions, serveOperator } from './serve-operator.ts'
