import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { StatusError } from '../../kernel/errors/status-error.ts'

const closedRanges: ReadonlySet<string> = new Set([
  ...['loopback', 'linkLocal', 'unspecified', 'multicast'],
])

/**
 * The address at which clients may have this server ask a host; a name is looked up, and what was found is asked, so that it cannot become another address
 * in between. @throws StatusError BadRequest for one of the server's own machine or link.
 */
export async function openAddress(host: string): Promise<string> {
  if (ipaddr.isValid(host)) {
    if (isOpen(host)) return host
    throw new StatusError('BadRequest', 'address not allowed')
  }
  if (host === '') throw new StatusError('BadRequest', 'address not allowed')
  const found = await lookup(host, { all: true }).catch((error: Error) => {
    throw new StatusError('BadRequest', `lookup ${host}: ${error.message}`)
  })
  const [first] = found
  if (first !== undefined && found.every(({ address }) => isOpen(address))) return first.address
  throw new StatusError('BadRequest', 'address not allowed')
}

function isOpen(address: string): boolean {
  return !closedRanges.has(ipaddr.process(address).range())
}
