import { type Node, nodes } from '../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../generated/apis/core/v1/pod.ts'
import type { Client } from '../../runtime/client/client.ts'
import { isStatus } from '../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../runtime/kernel/meta/object.ts'

/** What pods run on in tests. */
export interface NodeAgent {
  /** The least pods that were ready and stayed, since it was asked last. */
  leastReady(): number
  stop(): Promise<void>
}

/** Lets every pod run on the first node that takes pods, be ready at once, and end when it is deleted. */
export function startNodeAgent(client: Client): NodeAgent {
  const stop = new AbortController()
  const ready = new Set<string>()
  let least = Number.POSITIVE_INFINITY
  const ended = follow()

  async function follow(): Promise<void> {
    for await (const { type, object } of client.resource(pods).watch({}, stop.signal)) {
      const isGoing = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined
      if (isGoing) ready.delete(object.metadata.uid)
      else if (object.status?.phase === 'Running') ready.add(object.metadata.uid)
      if (isGoing) least = Math.min(least, ready.size)
      if (type !== 'DELETED') await keep(object).catch(ignoreRace)
    }
  }

  async function keep(pod: Stored<Pod>): Promise<void> {
    const { name, namespace, deletionTimestamp } = pod.metadata
    const resource = client.resource(pods).in(namespace)
    if (deletionTimestamp !== undefined) await resource.delete(pod, { gracePeriodSeconds: 0 })
    else if (pod.spec?.nodeName === undefined) {
      const target = { apiVersion: 'v1', kind: 'Node', name: await firstNode(client) }
      await resource.createSubresource(name, 'binding', { metadata: { name }, target })
    } else if (pod.status?.phase !== 'Running') {
      const lastTransitionTime = new Date().toISOString()
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime } as const]
      const status = { phase: 'Running', conditions } as const
      await resource.mergePatch(name, { status }, { subresource: 'status' })
    }
  }

  return {
    leastReady() {
      const found = least
      least = ready.size
      return found
    },
    async stop() {
      stop.abort()
      await ended.catch(() => {})
    },
  }
}

/** A pod that has changed or gone meanwhile is seen again. */
function ignoreRace(error: unknown): void {
  if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
}

async function firstNode(client: Client): Promise<string> {
  for await (const node of client.resource(nodes).list())
    if (takesPods(node)) return node.metadata.name
  throw new Error('no node takes pods')
}

function takesPods({ spec }: Stored<Node>): boolean {
  return spec?.unschedulable !== true
}
