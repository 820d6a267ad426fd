import { connect, type Socket } from 'node:net'
import { RuntimeError } from '../contract/runtime-error.ts'

/** A connection to a port of this machine, by either kind of address. @throws a RuntimeError that has what both said. */
export async function connectLoopback(port: number): Promise<Socket> {
  const errors: string[] = []
  for (const [host, name] of [
    ['127.0.0.1', 'IPv4: dial tcp4 127.0.0.1'],
    ['::1', 'IPv6: dial tcp6 [::1]'],
  ] as const) {
    try {
      return await connected(host, port)
    } catch (error) {
      const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
      const why = isRefused ? 'connect: connection refused' : (error as Error).message
      errors.push(`${name}:${port}: ${why}`)
    }
  }
  const why = `failed to connect to localhost:${port} inside the pod, ${errors.join(' ')}`
  throw new RuntimeError('Unavailable', why)
}

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}
