import { type Node, nodes } from '../../../../generated/apis/core/v1/node.ts'
import type { CloudContext, CloudRoutes } from '../../../cloud/cloud.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { parseDuration } from '../../../kernel/values/duration.ts'
import {
  again,
  type KeyContext,
  type KeyController,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { routedRanges } from './cluster-ranges.ts'
import { decideRoutes, type NewRoute, type RoutesPlan } from './decide-routes.ts'
import { inGroups, together } from './in-groups.ts'
import { decideConditions } from './network-condition.ts'

const all = [{ name: 'all' }]

/** Calls of the cloud, and requests, at a time. */
const width = 20

/** The longest that a cloud may take for all routes, in milliseconds. */
const timeoutMs = 300_000

/** The wait after a first failure, in milliseconds. */
const retryMs = 1000

/**
 * Keeps a route of the cloud for each range of addresses that a node has for its pods, and says of nodes whether they can be reached.
 *
 *   reads    Node
 *   writes   Node: condition NetworkUnavailable; Event; in the cloud: routes
 *   wakes    once in a period, and when a node comes, goes, gets ranges or other addresses
 *   settles  when each range has its route, and no route of the cluster leads elsewhere
 *
 * Without a cloud that has routes, `AllocateNodeCIDRs` and `ConfigureCloudRoutes` there is nothing to do. @throws RangeError for a cluster
 * without ranges.
 */
export async function routeController({
  name,
  configuration,
  cloud,
}: BuildContext): Promise<readonly KeyController[]> {
  const routes = cloud?.routes
  if (routes === undefined) return []
  const { ranges, problems } = routedRanges(configuration)
  if (problems.length > 0) throw new RangeError(problems.join('; '))
  if (ranges.length === 0) return []
  const { ClusterName: cluster, RouteReconciliationPeriod } = configuration.OrchCloudShared
  const periodMs = Math.max(1, parseDuration(RouteReconciliationPeriod) ?? 0)
  return [
    {
      ...{ name, component: 'route_controller', concurrency: 1, timeoutMs, seeds: all },
      queue: { backoff: { baseMs: Math.min(retryMs, periodMs), maxMs: periodMs } },
      watches: [
        watching(nodes, () => all, {
          when: ({ object, before }) => before === undefined || changesRoutes(object, before),
        }),
      ],
      async reconcile(_, context) {
        const asked = { cluster, signal: context.signal }
        const present = context.cached(nodes).list()
        const plan = decideRoutes(present, await routes.list(asked), ranges)
        const failures = await carryOut(plan, routes, asked, context)
        if (failures.length > 0) throw together(failures)
        return again(periodMs, 'the next look at routes')
      },
    },
  ]
}

function changesRoutes(node: Stored<Node>, before: Stored<Node>): boolean {
  return !(
    deepEqual(node.spec?.podCIDRs, before.spec?.podCIDRs) &&
    deepEqual(node.status?.addresses, before.status?.addresses)
  )
}

/** Does all of a plan that can be done; gives what failed. */
async function carryOut(
  { removed, added, routed }: RoutesPlan,
  routes: CloudRoutes,
  asked: CloudContext,
  context: KeyContext,
): Promise<readonly unknown[]> {
  const removing = await inGroups(removed, width, (route) => routes.delete(route, asked))
  const missing = new Set<string>()
  const adding = await inGroups(added, width, async (route) => {
    try {
      await add(route, routes, asked)
    } catch (error) {
      missing.add(route.node.metadata.uid)
      tellOf(route, error, context)
      throw error
    }
  })
  const told = await inGroups(routed, width, ({ node, ranges }) =>
    tellNode(node, ranges > 0 && !missing.has(node.metadata.uid), context),
  )
  return [...removing, ...adding, ...told]
}

async function add({ node, range }: NewRoute, routes: CloudRoutes, asked: CloudContext) {
  const { name, uid } = node.metadata
  const addresses = node.status?.addresses ?? []
  await routes.create({ node: name, range, addresses }, uid, asked)
}

function tellOf({ node, range }: NewRoute, error: unknown, { event }: KeyContext): void {
  const { name, uid } = node.metadata
  const message = `Could not create route ${uid} ${range} for node ${name}: ${errorText(error)}`
  event(node, { type: 'Warning', reason: 'FailedToCreateRoute', message })
}

/** Says of a node whether it can be reached. Conditions are written as a whole, so that they must be those that were looked at. */
async function tellNode(
  node: Stored<Node>,
  isReached: boolean,
  { client, clock, signal }: KeyContext,
): Promise<void> {
  const conditions = decideConditions(node, isReached, clock.now())
  if (conditions === undefined) return
  const { name, uid, resourceVersion } = node.metadata
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } }
  try {
    await client.resource(nodes).mergePatch(name, patch, { subresource: 'status' }, signal)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
}
