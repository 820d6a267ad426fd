import { createSocket, type Socket } from 'node:dgram'
import { familyOf } from '../../kernel/values/ip-ranges.ts'
import type { Backend, Frontend } from '../contract/plan.ts'
import { backendChoice, isSame } from './choose-backend.ts'
import { type Listener, type ListenerOptions, mayCome } from './listener.ts'

/** A flow on which nothing comes for so long has ended, in milliseconds. */
const idleMs = 60_000
/** Flows at once; beyond, new ones are dropped. */
const mostFlows = 1_000

interface Flow {
  readonly backend: Backend
  readonly socket: Socket
  cancel: () => void
}

/** Binds the port and leads datagrams on, each client from a port of its own. @throws the error of node:dgram if it cannot be bound. */
export function udpListener({
  host,
  clock,
  random,
  ...options
}: ListenerOptions): Promise<Listener> {
  const choice = backendChoice(clock, random)
  const flows = new Map<string, Flow>()
  const typeOf = (address: string) => (familyOf(address) === 6 ? 'udp6' : 'udp4')
  let frontend: Frontend = options.frontend
  const server = createSocket({ type: typeOf(host) })
  server.on('message', (message, { address, port }) => {
    const flow = flows.get(`${address} ${port}`) ?? newFlow(address, port)
    if (flow === undefined) return
    touch(flow, `${address} ${port}`)
    flow.socket.send(message, flow.backend.port, flow.backend.address)
  })

  function newFlow(address: string, port: number): Flow | undefined {
    const [backend] = choice.orderFor(address, frontend)
    if (backend === undefined || flows.size >= mostFlows || !mayCome(address, frontend)) {
      return undefined
    }
    choice.keep(address, frontend, backend)
    const key = `${address} ${port}`
    const socket = createSocket({ type: typeOf(backend.address) })
    const flow: Flow = { backend, socket, cancel: () => {} }
    socket.on('message', (message, from) => {
      if (from.port !== backend.port || from.address !== backend.address) return
      touch(flow, key)
      server.send(message, port, address)
    })
    socket.on('error', () => end(flow, key))
    socket.unref()
    flows.set(key, flow)
    return flow
  }

  function touch(flow: Flow, key: string): void {
    flow.cancel()
    flow.cancel = clock.after(idleMs, () => end(flow, key))
  }

  function end(flow: Flow, key: string): void {
    flow.cancel()
    if (!flows.delete(key)) return
    flow.socket.close()
  }

  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.bind({ address: host, port: frontend.port }, () => {
      server.off('error', reject)
      server.on('error', () => {})
      server.unref()
      resolve({
        use(next) {
          frontend = next
          for (const [key, flow] of flows) {
            if (!next.backends.some((one) => isSame(one, flow.backend))) end(flow, key)
          }
        },
        stop() {
          for (const [key, flow] of flows) end(flow, key)
          server.close()
        },
      })
    })
  })
}
