import { type Client, connect, createClient, httpTransport, loadConfig } from 'orch'
import { nodes } from 'orch/generated/apis/core/v1/node'
import { wellKnown } from 'orch/generated/well-known'

/** A client by files as kubectl reads them: one, several as in `KUBECONFIG`, or those of the environment. */
export function connectTo(files?: string): Promise<Client> {
  return connect(files, {
    manager: 'website-operator',
    namespace: 'shop',
    rate: { perSecond: 50, burst: 100 },
    retries: 3,
  })
}

/** A client of the same server that acts as another user, over HTTP/1.1. */
export async function connectAs(user: string, files?: string): Promise<Client> {
  const config = await loadConfig(files)
  const transport = httpTransport({ ...config, impersonate: { user }, http2: false })
  return createClient(transport, { manager: 'website-operator', namespace: config.namespace })
}

/** The zones of the nodes that run Linux, whichever names their server has. */
export async function zonesOfLinux(client: Client): Promise<readonly string[]> {
  const linux = `${wellKnown.os}=linux`
  const { items } = await client.resource(nodes).listAll({ labelSelector: linux })
  return items.map(({ metadata }) => metadata.labels?.[wellKnown.zone] ?? 'nowhere')
}
