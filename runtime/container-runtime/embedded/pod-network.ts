/**
 * Networks of pods at the level `full`: each sandbox has a network of its own, which a bridge of this machine joins with the others and with the
 * machine. What is made has names of its own, and outlives this process.
 */
import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import type { PortMapping } from '../contract/container.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import { findProgram, programFolders } from './host-image.ts'

/** A network of a sandbox. */
export interface SandboxNetwork {
  /** Known to `ip netns`. */
  readonly name: string
  readonly address: string
}

const bridge = 'orchpods0'
const table = 'orchpods'
/** Names of devices have 15 letters at most. */
const idLetters = 10

/** Where a network stands that processes join. */
export function networkFile({ name }: Pick<SandboxNetwork, 'name'>): string {
  return `/run/netns/${name}`
}

/** Addresses of pods of a machine: `10.85.0.0/16`, whose first one is that of the bridge. */
export class PodNetworks {
  readonly #first: number
  readonly #size: number
  readonly #bits: string
  #prepared: Promise<void> | undefined
  #next = 1

  /** @throws a RuntimeError for what is no range of IPv4. */
  constructor(range: string) {
    const [base = '', bits = ''] = range.split('/')
    const length = Number(bits)
    if (!isIPv4(base) || !(length >= 8 && length <= 29)) {
      const why = `${range} is no range of addresses for pods such as 10.85.0.0/16`
      throw new RuntimeError('InvalidArgument', why)
    }
    this.#bits = bits
    this.#size = 2 ** (32 - length)
    this.#first = Math.floor(numberOf(base) / this.#size) * this.#size
  }

  /** Makes the network of a sandbox. `taken` are the addresses of others. */
  async add(
    sandboxId: string,
    taken: ReadonlySet<string>,
    ports: readonly PortMapping[],
  ): Promise<SandboxNetwork> {
    this.#prepared ??= this.#prepare()
    await this.#prepared.catch((error) => {
      this.#prepared = undefined
      throw error
    })
    const short = sandboxId.slice(0, idLetters)
    const network = { name: `orch-${short}`, address: this.#free(taken) }
    const { name, address } = network
    const device = `orch${short}`
    try {
      await ip([], `netns add ${name}`)
      await ip(
        ['-batch', '-'],
        `link add name ${device} type veth peer name eth0 netns ${name}\nlink set ${device} master ${bridge} up\nlink set ${device} type bridge_slave hairpin on\n`,
      )
      await ip(
        ['-n', name, '-batch', '-'],
        `link set lo up\naddr add ${address}/${this.#bits} dev eth0\nlink set eth0 up\nroute add default via ${this.#gateway}\n`,
      )
      if (ports.length > 0) await nft(portRules(short, address, ports))
    } catch (error) {
      await this.remove(network).catch(() => {})
      throw error
    }
    return network
  }

  /** Removes it with everything that leads there. */
  async remove(network: SandboxNetwork): Promise<void> {
    const short = network.name.slice('orch-'.length)
    if (hasNft()) await nft(`add table ip ${table}_${short}\ndelete table ip ${table}_${short}\n`)
    if (existsSync(networkFile(network))) await ip([], `netns delete ${network.name}`)
  }

  get #gateway(): string {
    return addressOf(this.#first + 1)
  }

  #free(taken: ReadonlySet<string>): string {
    // The first is the range's own, the second the bridge's, the last for all.
    for (let tries = 0; tries < this.#size; tries++) {
      this.#next = this.#next + 1 >= this.#size - 1 ? 2 : this.#next + 1
      const address = addressOf(this.#first + this.#next)
      if (!taken.has(address)) return address
    }
    throw new RuntimeError('Unavailable', 'every address of the range for pods is taken')
  }

  async #prepare(): Promise<void> {
    if (!existsSync(`/sys/class/net/${bridge}`)) await ip([], `link add name ${bridge} type bridge`)
    await ip([], `addr replace ${this.#gateway}/${this.#bits} dev ${bridge}`)
    await ip([], `link set ${bridge} up`)
    writeFileSync('/proc/sys/net/ipv4/ip_forward', '1')
    if (!hasNft()) return
    const range = `${addressOf(this.#first)}/${this.#bits}`
    await nft(
      `add table ip ${table}\ndelete table ip ${table}\ntable ip ${table} {\n  chain outside {\n    type nat hook postrouting priority srcnat;\n    ip saddr ${range} oifname != "${bridge}" masquerade\n  }\n}\n`,
    )
  }
}

/** Why networks of pods cannot be made; empty if they can. */
export async function whyNoNetworks(): Promise<string> {
  if (process.getuid?.() !== 0) return 'networks of pods need root'
  const missing = ['ip', 'unshare', 'nsenter'].filter(
    (name) => findProgram(name, programFolders) === undefined,
  )
  if (missing.length > 0) return `this machine has no program ${missing.join(', ')}`
  const script =
    'ip link add name orch0 type bridge && ip link add name orch1 type veth peer name orch2'
  try {
    await run('unshare', ['--net', '--', '/bin/sh', '-c', script], '')
    return ''
  } catch (error) {
    return `networks cannot be made: ${error instanceof Error ? error.message : error}`
  }
}

/** Ports of the machine lead to the pod, from elsewhere and from here. */
function portRules(short: string, address: string, ports: readonly PortMapping[]): string {
  const rules = ports.map(({ protocol, hostPort, containerPort, hostIP }) => {
    const to = destinationOf(hostIP ?? '')
    return `    ${to} ${protocol.toLowerCase()} dport ${hostPort} dnat to ${address}:${containerPort}`
  })
  const chain = (name: string, hook: string) =>
    `  chain ${name} {\n    type nat hook ${hook} priority -100;\n${rules.join('\n')}\n  }\n`
  return `table ip ${table}_${short} {\n${chain('arriving', 'prerouting')}${chain('leaving', 'output')}}\n`
}

/** What packets for a port of the machine have in common. @throws a RuntimeError for what is no address of IPv4: rules are text. */
function destinationOf(hostIP: string): string {
  if (hostIP === '' || hostIP === '0.0.0.0') return 'fib daddr type local'
  if (isIPv4(hostIP)) return `ip daddr ${hostIP}`
  throw new RuntimeError('InvalidArgument', `hostIP: ${hostIP} is no IPv4 address`)
}

function hasNft(): boolean {
  return findProgram('nft', programFolders) !== undefined
}

function ip(flags: readonly string[], words: string): Promise<void> {
  return flags.includes('-batch') ? run('ip', flags, words) : run('ip', words.split(' '), '')
}

async function nft(rules: string): Promise<void> {
  if (!hasNft()) {
    throw new RuntimeError('FailedPrecondition', 'ports of the node need the program nft')
  }
  await run('nft', ['-f', '-'], rules)
}

function run(program: string, words: readonly string[], input: string): Promise<void> {
  const env = { PATH: programFolders.join(':'), LC_ALL: 'C' }
  return new Promise((resolve, reject) => {
    const child = execFile(program, words, { env }, (error, _, stderr) => {
      if (error === null) return resolve()
      const said = stderr.trim().split('\n')
      const why = said.find((line) => /error/i.test(line)) ?? (said.at(-1) || error.message)
      reject(new RuntimeError('Unknown', `${program}: ${why}`))
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function addressOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}
