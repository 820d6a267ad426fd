import { getuid } from 'node:process'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Log } from '../../observe/observe.ts'
import type { Frontend } from '../contract/plan.ts'
import { type ServiceTable, serviceTable } from '../nftables/service-table.ts'
import { createListeners, type ListenersOptions } from '../userland/listeners.ts'
import { type LocalAddresses, localAddresses } from '../userland/local-addresses.ts'

/** How frontends are led. */
export interface Way {
  readonly name: 'nftables' | 'userland'
  /** Why nothing better is used; empty where this is the best. */
  readonly why: string
  lead(frontends: readonly Frontend[]): Promise<void>
  stop(): Promise<void>
}

/** What a way is chosen by. */
export interface WayOptions extends ListenersOptions {
  /** Default: what the machine lets us have. */
  readonly way?: 'nftables' | 'userland' | undefined
  /** The name of the table. */
  readonly table: string
}

/** nftables where they can be used, else listeners of this process. @throws an Error if the way that was asked for cannot be used. */
export async function chooseWay(options: WayOptions): Promise<Way> {
  if (options.way === 'userland') return userland(options, '')
  const table = serviceTable(options.table, options.nodeAddresses.filter(isOutside))
  try {
    await table.lead([])
    return nftables(options, table)
  } catch (error) {
    if (options.way === 'nftables') throw error
    return userland(options, whyNoTable(error))
  }
}

/** The kernel leads everything but ports of the node at its addresses of loopback, from which nothing can be led away. */
function nftables(options: WayOptions, table: ServiceTable): Way {
  const listeners = createListeners({
    ...options,
    nodeAddresses: options.nodeAddresses.filter((one) => !isOutside(one)),
  })
  return {
    ...{ name: 'nftables', why: '' },
    async lead(frontends) {
      await table.lead(frontends)
      await listeners.lead(frontends.filter(({ address }) => address === ''))
    },
    async stop() {
      listeners.stop()
      await table.remove()
    },
  }
}

/** Cluster addresses become addresses of the machine where root can make them that; else only those of loopback can be listened at. */
function userland(options: WayOptions, why: string): Way {
  const listeners = createListeners(options)
  const isRoot = getuid?.() === 0
  const addresses: LocalAddresses | undefined = isRoot ? localAddresses() : undefined
  return {
    ...{ name: 'userland', why },
    async lead(frontends) {
      const wanted = new Set(frontends.flatMap(({ address }) => (address === '' ? [] : [address])))
      await addresses?.use(wanted).catch((error) => warn(options.log, error))
      await listeners.lead(frontends)
    },
    async stop() {
      listeners.stop()
      await addresses?.remove().catch((error) => warn(options.log, error))
    },
  }
}

/** What keeps the kernel from leading, in words. */
function whyNoTable(error: unknown): string {
  if (getuid?.() !== 0) return 'tables of nftables are for root'
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'there is no program nft in PATH' : errorText(error)
}

function warn(log: Log, error: unknown): void {
  log.warn('addresses of services are not all local', { reason: errorText(error) })
}

function isOutside(address: string): boolean {
  return !address.startsWith('127.') && address !== '::1'
}
