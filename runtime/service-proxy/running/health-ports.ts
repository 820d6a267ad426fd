import { createServer, type Server } from 'node:http'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Log } from '../../observe/observe.ts'
import type { HealthPort } from '../contract/plan.ts'

/** Ports that tell balancers whether this node has backends of a service. */
export interface HealthPorts {
  serve(ports: readonly HealthPort[]): void
  stop(): void
}

/** A set of such ports, at every address that ports of the node have. */
export function healthPorts(nodeAddresses: readonly string[], log: Log): HealthPorts {
  const standing = new Map<string, { readonly server: Server; told: HealthPort }>()

  function open(key: string, host: string, port: HealthPort): void {
    const server = createServer(
      { requestTimeout: 10_000, keepAliveTimeout: 1_000 },
      (_, answer) => {
        const { namespace, name, localBackends } = standing.get(key)?.told ?? port
        const body = { service: { namespace, name }, localEndpoints: localBackends }
        answer.writeHead(localBackends > 0 ? 200 : 503, {
          ...{ 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' },
          'X-Load-Balancing-Endpoint-Weight': String(localBackends),
        })
        answer.end(`${JSON.stringify({ ...body, serviceProxyHealthy: true })}\n`)
      },
    )
    server.on('error', (error) => {
      const service = `${port.namespace}/${port.name}`
      log.warn('a health port is not served', {
        service,
        port: port.port,
        reason: errorText(error),
      })
    })
    server.listen({ host, port: port.port })
    server.unref()
    standing.set(key, { server, told: port })
  }

  function close(key: string): void {
    const known = standing.get(key)
    standing.delete(key)
    known?.server.close()
    known?.server.closeAllConnections()
  }

  return {
    serve(ports) {
      const wanted = new Map<string, { readonly host: string; readonly port: HealthPort }>(
        ports.flatMap((port) =>
          nodeAddresses.map((host) => [`${host} ${port.port}`, { host, port }] as const),
        ),
      )
      for (const key of standing.keys()) if (!wanted.has(key)) close(key)
      for (const [key, { host, port }] of wanted) {
        const known = standing.get(key)
        if (known === undefined) open(key, host, port)
        else known.told = port
      }
    },
    stop() {
      for (const key of standing.keys()) close(key)
    },
  }
}
