import type { Clock, Random } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Log } from '../../observe/observe.ts'
import { type Frontend, frontendKey } from '../contract/plan.ts'
import type { Listener } from './listener.ts'
import { tcpListener } from './tcp-listener.ts'
import { udpListener } from './udp-listener.ts'

/** Listens for frontends. */
export interface Listeners {
  /** From now on these are led. Those that cannot be bound are logged once, and tried again at the next call. */
  lead(frontends: readonly Frontend[]): Promise<void>
  stop(): void
}

/** Where listeners stand, and what they work with. */
export interface ListenersOptions {
  /** The addresses at which ports of the node are. */
  readonly nodeAddresses: readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const lowPortRemedy =
  ': ports below net.ipv4.ip_unprivileged_port_start are for root; a service may have a higher port, and a port of the node'

/** A set of listeners, empty at first. */
export function createListeners({
  nodeAddresses,
  clock,
  random,
  log,
}: ListenersOptions): Listeners {
  const standing = new Map<string, Listener>()
  const refused = new Set<string>()

  async function ensure(key: string, host: string, frontend: Frontend): Promise<void> {
    const known = standing.get(key)
    if (known !== undefined) return known.use(frontend)
    try {
      standing.set(key, await listen({ host, frontend, clock, random }))
      refused.delete(key)
    } catch (error) {
      if (refused.has(key)) return
      refused.add(key)
      const { name, port, protocol } = frontend
      const reason = `${errorText(error)}${(error as NodeJS.ErrnoException).code === 'EACCES' ? lowPortRemedy : ''}`
      log.warn('a service is not led', { service: name, host, port, protocol, reason })
    }
  }

  return {
    async lead(frontends) {
      const wanted = new Map(
        frontends.flatMap((frontend) =>
          (frontend.address === '' ? nodeAddresses : [frontend.address]).map((host) => {
            const key = frontendKey({ ...frontend, address: host })
            return [key, { host, frontend }] as const
          }),
        ),
      )
      for (const [key, listener] of standing) {
        if (wanted.has(key)) continue
        listener.stop()
        standing.delete(key)
      }
      for (const key of refused) if (!wanted.has(key)) refused.delete(key)
      await Promise.all([...wanted].map(([key, { host, frontend }]) => ensure(key, host, frontend)))
    },
    stop() {
      for (const listener of standing.values()) listener.stop()
      standing.clear()
    },
  }
}

function listen(options: Parameters<typeof tcpListener>[0]): Promise<Listener> {
  const { protocol } = options.frontend
  switch (protocol) {
    case 'TCP':
      return tcpListener(options)
    case 'UDP':
      return udpListener(options)
    case 'SCTP':
      return Promise.reject(new Error('SCTP is led by nftables only'))
  }
}
