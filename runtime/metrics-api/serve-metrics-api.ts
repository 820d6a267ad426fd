import { nodes } from '../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../generated/apis/core/v1/pod.ts'
import { privilegedGroupAuthorizer, unionAuthenticator, unionAuthorizer } from '../auth/auth.ts'
import type { Client } from '../client/client.ts'
import { type DaemonServer, serveDaemon } from '../daemon/daemon.ts'
import { accessReviewAuthorizer } from '../delegation/delegation.ts'
import { createInformer } from '../informer/informer.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { groupNames, type Platform } from '../kernel/descriptors/platform.ts'
import type { Stored } from '../kernel/meta/object.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import { type SecureServing, startServing } from '../serving/serving.ts'
import { metricsCollector } from './collect.ts'
import { metricsPage } from './metrics-page.ts'

/** Whom the server asks, and how it listens. */
export interface MetricsApiOptions {
  /** May read nodes, pods and the figures of nodes, and review what users may. */
  readonly client: Client
  /** The names of the cluster. */
  readonly platform: Platform
  /** The names of this program: what it counts is called by them. */
  readonly own: Platform
  /** Who passes requests on is named in `requestHeader`. */
  readonly serving: SecureServing
  /** How often nodes are asked. */
  readonly everyMs: number
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

/** What users may is remembered for so long, in milliseconds. */
const reviewMs = 10_000

/** Serves the metrics API until `signal` aborts and `stop` is called. @throws an Error that says why it cannot. */
export async function serveMetricsApi(
  { client, platform, own, serving, everyMs, metrics, clock, log }: MetricsApiOptions,
  signal: AbortSignal,
): Promise<DaemonServer> {
  const usual = { clock, log, keepAlive: false }
  const nodeInformer = createInformer(client.resource(nodes), { ...usual, metadataOnly: true })
  const podInformer = createInformer(client.resource(pods), { ...usual, transform: barePod })
  const following = [nodeInformer.run(signal), podInformer.run(signal)]
  const collector = metricsCollector({
    ...{ client, everyMs, clock, log, nodes: () => nodeInformer.cache.list() },
  })
  void nodeInformer.synced.then(() => collector.run(signal))
  const { tls, authenticators } = await startServing(serving, { clock, log, signal })
  const { host = '127.0.0.1', port } = serving
  const ready = (): void => {
    if (!collector.hasLooked) throw new Error('no node was asked yet')
  }
  const server = await serveDaemon({
    ...{ platform: own, clock, log, metrics, tls, listen: { host, port } },
    checks: [{ name: 'collector', endpoints: ['readyz'], check: ready }],
    pages: [
      metricsPage({
        groups: groupNames('metrics', platform),
        metaVersion: `meta.${platform.publicApi ?? platform.api}/v1`,
        ...{ usage: collector.usage, clock },
        nodes: () => nodeInformer.cache.list(),
        pods: () => podInformer.cache.list(),
        authenticator: unionAuthenticator(authenticators),
        authorizer: unionAuthorizer([
          privilegedGroupAuthorizer,
          accessReviewAuthorizer({ client, allowedMs: reviewMs, refusedMs: reviewMs, clock }),
        ]),
      }),
    ],
  })
  return {
    ...server,
    async stop() {
      await server.stop()
      await Promise.all(following)
    },
  }
}

/** What is kept of a pod. */
function barePod(pod: Stored<Pod>): Stored<Pod> {
  const { managedFields, annotations, ...metadata } = pod.metadata
  const nodeName = pod.spec?.nodeName
  return {
    ...{ kind: pod.kind, apiVersion: pod.apiVersion, metadata },
    spec: { containers: [], ...(nodeName !== undefined && { nodeName }) },
  }
}
