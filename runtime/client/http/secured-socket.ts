/** TLS connections that a client opens itself, to learn which protocol the server chooses. */
import { isIP } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { portOf, unbracketed } from './address.ts'
import type { ConnectionConfig, Credentials } from './connection-config.ts'
import { openTunnel, type ProxyAddress } from './proxy.ts'

/** What a connection to a server is verified by, and what it shows. */
export function tlsOptions(
  { serverName, insecure }: Partial<ConnectionConfig>,
  { ca, cert, key }: Credentials,
): ConnectionOptions {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(insecure === true && { rejectUnauthorized: false }),
  }
}

/**
 * A connection to the server of `url` whose certificate is verified, by a tunnel if there is a proxy.
 *
 * @throws Error if there is none, or once `signal` aborts.
 */
export async function openSecured(
  url: URL,
  tls: ConnectionOptions,
  proxy: ProxyAddress | undefined,
  signal?: AbortSignal,
): Promise<TLSSocket> {
  const [host, port] = [unbracketed(url.hostname), portOf(url)]
  const tunnel = proxy && (await openTunnel(proxy, host, port))
  if (signal?.aborted) {
    tunnel?.destroy()
    throw signal.reason
  }
  return secured({ ...(tunnel ? { socket: tunnel } : { host, port }), ...named(host, tls) }, signal)
}

/** Milliseconds after which the system asks the other side of a silent connection whether it is there. */
const keepAliveMs = 30_000

function secured(options: ConnectionOptions, signal?: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options)
    const stop = (): unknown => socket.destroy(signal?.reason as Error)
    const fail = (error: Error): void => {
      signal?.removeEventListener('abort', stop)
      reject(error)
    }
    signal?.addEventListener('abort', stop, { once: true })
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      signal?.removeEventListener('abort', stop)
      socket.off('error', fail)
      socket.setNoDelay(true)
      socket.setKeepAlive(true, keepAliveMs)
      resolve(socket)
    })
  })
}

/** The name that the certificate is verified by; an address is not sent as a name. */
function named(host: string, tls: ConnectionOptions): ConnectionOptions {
  const servername = tls.servername ?? host
  return { ...tls, host, ...(isIP(servername) === 0 && { servername }) }
}
