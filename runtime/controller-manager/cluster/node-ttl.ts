import { type Node, nodes } from '../../../generated/apis/core/v1/node.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'

const all = [{ name: 'all' }]

/** From how many nodes on, and up to how many, agents may keep what they read of secrets and config maps for how many seconds. */
const sizes = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1000, seconds: 30 },
  { least: 900, most: 2000, seconds: 60 },
  { least: 1800, most: Number.POSITIVE_INFINITY, seconds: 300 },
] as const

/**
 * Tells the agents of nodes how long they may keep what they have read, in an annotation: longer in a larger cluster.
 *
 *   reads    metadata of Node
 *   writes   Node: patch
 *   wakes    when a node appears or goes, or when its annotations change
 *   settles  when all nodes say what is right for as many of them
 */
export async function nodeTtlController({
  name,
  platform,
}: BuildContext): Promise<readonly KeyController[]> {
  const annotation = `node.alpha.${platform.domain}/ttl`
  let size = 0
  return [
    {
      name,
      concurrency: 1,
      watches: [
        watching(nodes, () => all, { metadataOnly: true, fields: ['metadata.annotations'] }),
      ],
      async reconcile(_, { client, cached, signal }) {
        const present = cached(nodes).list()
        size = decideSize(size, present.length)
        const value = String(sizes[size]?.seconds ?? 0)
        for (const node of decideNodes(present, annotation, value)) {
          try {
            const patch = { metadata: { annotations: { [annotation]: value } } }
            await client.resource(nodes).mergePatch(node, patch, {}, signal)
          } catch (error) {
            if (!isStatus(error, 'NotFound')) throw error
          }
        }
        return done
      },
    },
  ]
}

/** The size of a cluster that was of one size, and has so many nodes now: it changes back later than it changed. */
export function decideSize(size: number, count: number): number {
  let next = size
  while (count > (sizes[next]?.most ?? Number.POSITIVE_INFINITY)) next++
  while (count < (sizes[next]?.least ?? 0)) next--
  return next
}

/** The names of nodes that say something else. */
export function decideNodes(
  present: readonly Stored<Node>[],
  annotation: string,
  value: string,
): readonly string[] {
  const wrong = present.filter(({ metadata }) => metadata.annotations?.[annotation] !== value)
  return wrong.map(({ metadata }) => metadata.name)
}
