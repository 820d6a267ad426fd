import { Agent, get, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { startServer } from './servers.ts'

/** Milliseconds between two renewals of a node, and between those of two nodes, as nodes have that start at once. */
const renewMs = 10_000
const apartMs = 10

/** A lease as the agent of a node renews it. */
const lease = {
  kind: 'Lease',
  apiVersion: 'coordination.orch.io/v1',
  metadata: {
    ...{ name: 'node-0', namespace: 'orch-node-lease', uid: crypto.randomUUID() },
    ...{ resourceVersion: '1', creationTimestamp: new Date().toISOString() },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-0', uid: crypto.randomUUID() }],
  },
  spec: { holderIdentity: 'node-0', leaseDurationSeconds: 40 },
}

/**
 * Runs something while nodes renew their leases at a server that only parses what it gets and sends it back, and to one who watches: the
 * limit of what a cluster can cost in which nothing happens. All but the server is in this process.
 */
export async function withBareRenewals<T>(
  nodes: number,
  run: (server: { readonly pid: number }) => Promise<T>,
): Promise<T> {
  const server = await startServer('bare')
  const origin = `http://${server.address.host}:${server.address.port}`
  const agent = new Agent({ keepAlive: true })
  const watch = get(`${origin}/watch`, (stream) => {
    stream.on('data', (event: Buffer) => JSON.parse(event.toString()))
  })
  const renew = (): void => {
    const sent = request(`${origin}/lease`, { method: 'POST', agent }, (answer) => json(answer))
    sent.end(
      JSON.stringify({ ...lease, spec: { ...lease.spec, renewTime: new Date().toISOString() } }),
    )
  }
  const timers: NodeJS.Timeout[] = []
  for (let at = 0; at < nodes; at++) {
    timers.push(setTimeout(() => timers.push(setInterval(renew, renewMs)), at * apartMs))
  }
  try {
    return await run(server)
  } finally {
    for (const timer of timers) clearInterval(timer)
    watch.on('error', () => {}).destroy()
    agent.destroy()
    await server.stop()
  }
}
