/** Which IP addresses can stand for an endpoint. */
import { BlockList, isIP } from 'node:net'

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'

interface Special {
  readonly range: BlockList
  readonly problem: string
}

const special: readonly Special[] = [
  rangeOf('may not be unspecified (0.0.0.0 or ::)', ['0.0.0.0', 32], ['::', 128]),
  rangeOf(
    'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ['127.0.0.0', 8],
    ['::1', 128],
  ),
  rangeOf(
    'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ['169.254.0.0', 16],
    ['fe80::', 10],
  ),
  rangeOf(
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ['224.0.0.0', 24],
    ['ff02::', 10],
  ),
]

type Block = readonly [address: string, bits: number]

function rangeOf(problem: string, v4: Block, v6: Block): Special {
  const range = new BlockList()
  range.addSubnet(v4[0], v4[1], 'ipv4')
  range.addSubnet(v6[0], v6[1], 'ipv6')
  return { range, problem }
}

/** What is wrong with the address of an endpoint: those with a meaning of their own are none. */
export function endpointAddressProblems(address: string): readonly string[] {
  const version = isIP(address)
  if (version === 0) return [notAnAddress]
  const family = version === 4 ? 'ipv4' : 'ipv6'
  return special
    .filter(({ range }) => range.check(address, family))
    .map(({ problem }) => problem)
    .slice(0, 1)
}

/** Why the API cannot be found at an address, by the flag that is to blame; nothing where none is given. */
export function advertiseProblems(address = ''): readonly string[] {
  if (address === '') return []
  return endpointAddressProblems(address).map((why) => `--advertise-address ${address}: ${why}`)
}
