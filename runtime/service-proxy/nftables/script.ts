/** A plan as commands of nftables. */
import { familyOf } from '../../kernel/values/ip-ranges.ts'
import type { Backend, Frontend } from '../contract/plan.ts'
import { backendChain, clientSet, serviceChain } from './names.ts'

/** What a table is for. */
export interface TableFacts {
  readonly name: string
  readonly family: 4 | 6
  /** The addresses of the node at which node ports are; those of loopback are not among them. */
  readonly nodeAddresses: readonly string[]
}

/** What stands in a table beside its base chains: names of chains, and seconds of sets by name. */
export interface TableContent {
  readonly chains: ReadonlySet<string>
  readonly sets: ReadonlyMap<string, number>
}

/** Commands that make the table say what the plan does, all at once, and what stands in it then. */
export interface TableScript {
  readonly text: string
  readonly content: TableContent
}

/** Packets with this mark leave with the address of the node. */
const mark = '0x4000'

/** The commands; `before` is what stands in the table, undefined where nothing is known of it: then it is made anew. */
export function tableScript(
  frontends: readonly Frontend[],
  facts: TableFacts,
  before: TableContent | undefined,
): TableScript {
  const own = frontends.filter((one) => isIn(one, facts))
  const words = wordsOf(facts)
  const content = contentOf(own)
  const { table } = words
  const gone = (old: Iterable<string> = [], now: { has(name: string): boolean }) =>
    [...old].filter((name) => !now.has(name))
  const lines = [
    `add table ${table}`,
    ...(before === undefined ? [`delete table ${table}`, `add table ${table}`] : []),
    `flush table ${table}`,
    ...maps(words),
    ...baseChains(facts, words),
    ...[...content.sets].map(
      ([name, seconds]) =>
        `add set ${table} ${name} { type ${words.type}; flags dynamic,timeout; timeout ${seconds}s; }`,
    ),
    ...[...content.chains].map((name) => `add chain ${table} ${name}`),
    ...own.flatMap((one) => [...frontendRules(one, words), ...elementOf(one, words)]),
    ...gone(before?.chains, content.chains).map((name) => `delete chain ${table} ${name}`),
    ...gone(before?.sets.keys(), content.sets).map((name) => `delete set ${table} ${name}`),
  ]
  return { text: `${lines.join('\n')}\n`, content }
}

/** Takes the table away, whether or not there is one. */
export function tableRemoval(facts: TableFacts): string {
  const { table } = wordsOf(facts)
  return `add table ${table}\ndelete table ${table}\n`
}

interface Words {
  readonly ip: 'ip' | 'ip6'
  readonly table: string
  readonly type: string
}

function wordsOf({ name, family }: TableFacts): Words {
  const ip = family === 4 ? 'ip' : 'ip6'
  return { ip, table: `${ip} ${name}`, type: family === 4 ? 'ipv4_addr' : 'ipv6_addr' }
}

/** Ports of a node are in the table of the family of their backends. */
function isIn({ address, backends }: Frontend, { family }: TableFacts): boolean {
  return (familyOf(address === '' ? (backends[0]?.address ?? '0.0.0.0') : address) ?? 4) === family
}

function contentOf(own: readonly Frontend[]): TableContent {
  const led = own.filter(({ backends }) => backends.length > 0)
  const chains = led.flatMap((one) => [
    serviceChain(one),
    ...one.backends.map((backend) => backendChain(one, backend)),
  ])
  const sets = led
    .filter(({ affinitySeconds }) => affinitySeconds > 0)
    .flatMap((one) =>
      one.backends.map((backend) => [clientSet(one, backend), one.affinitySeconds] as const),
    )
  return { chains: new Set(chains), sets: new Map(sets) }
}

/** Verdicts by address, protocol and port: of what is led, and of what has no backend. */
function maps({ table, type }: Words): readonly string[] {
  const ports = 'inet_proto . inet_service'
  const all = [
    ['ports', `${type} . ${ports}`],
    ['node-ports', ports],
    ['empty-ports', `${type} . ${ports}`],
    ['empty-node-ports', ports],
  ]
  return all.flatMap(([name, key]) => [
    `add map ${table} ${name} { type ${key} : verdict; }`,
    `flush map ${table} ${name}`,
  ])
}

function baseChains(
  { nodeAddresses, family }: TableFacts,
  { table, ip }: Words,
): readonly string[] {
  const own = nodeAddresses.filter((one) => familyOf(one) === family)
  const jumps = (chain: string, prefix: string): readonly string[] => [
    `add rule ${table} ${chain} ${ip} daddr . meta l4proto . th dport vmap @${prefix}ports`,
    ...(own.length === 0
      ? []
      : [
          `add rule ${table} ${chain} ${ip} daddr { ${own.join(', ')} } meta l4proto . th dport vmap @${prefix}node-ports`,
        ]),
  ]
  const base = (name: string, type: string, hook: string, priority: number): string =>
    `add chain ${table} ${name} { type ${type} hook ${hook} priority ${priority}; }`
  return [
    `add chain ${table} refuse`,
    `add rule ${table} refuse meta l4proto tcp reject with tcp reset`,
    `add rule ${table} refuse reject`,
    ...['empty', 'led'].map((name) => `add chain ${table} ${name}`),
    ...jumps('empty', 'empty-'),
    ...jumps('led', ''),
    base('in-before', 'filter', 'prerouting', -105),
    base('out-before', 'filter', 'output', -105),
    ...['in-before', 'out-before'].map(
      (name) => `add rule ${table} ${name} ct state new jump empty`,
    ),
    base('in', 'nat', 'prerouting', -100),
    base('out', 'nat', 'output', -100),
    ...['in', 'out'].map((name) => `add rule ${table} ${name} jump led`),
    base('leaving', 'nat', 'postrouting', 100),
    `add rule ${table} leaving oifname != "lo" meta mark and ${mark} == ${mark} masquerade`,
  ]
}

function frontendRules(frontend: Frontend, { table, ip }: Words): readonly string[] {
  const { backends, sources, isExternal, keepsSource, affinitySeconds } = frontend
  if (backends.length === 0) return []
  const chain = serviceChain(frontend)
  const rule = (text: string): string => `add rule ${table} ${chain} ${text}`
  const verdicts = backends.map((one, index) => `${index} : goto ${backendChain(frontend, one)}`)
  return [
    ...(sources.length > 0 ? [rule(`${ip} saddr != { ${sources.join(', ')} } drop`)] : []),
    ...(isExternal && !keepsSource ? [rule(`meta mark set meta mark or ${mark}`)] : []),
    ...(affinitySeconds > 0
      ? backends.map((one) =>
          rule(`${ip} saddr @${clientSet(frontend, one)} goto ${backendChain(frontend, one)}`),
        )
      : []),
    rule(`numgen random mod ${backends.length} vmap { ${verdicts.join(', ')} }`),
    ...backends.flatMap((one) => backendRules(frontend, one, { table, ip })),
  ]
}

/** A pod that comes back to itself must not see its own address. */
function backendRules(
  frontend: Frontend,
  backend: Backend,
  { table, ip }: Pick<Words, 'table' | 'ip'>,
): readonly string[] {
  const { address, port } = backend
  const rule = (text: string): string =>
    `add rule ${table} ${backendChain(frontend, backend)} ${text}`
  const target = ip === 'ip6' ? `[${address}]:${port}` : `${address}:${port}`
  return [
    rule(`${ip} saddr ${address} meta mark set meta mark or ${mark}`),
    ...(frontend.affinitySeconds > 0
      ? [rule(`update @${clientSet(frontend, backend)} { ${ip} saddr }`)]
      : []),
    rule(`meta l4proto ${frontend.protocol.toLowerCase()} dnat to ${target}`),
  ]
}

function elementOf(frontend: Frontend, { table }: Words): readonly string[] {
  const { address, protocol, port, backends, whenEmpty } = frontend
  const isEmpty = backends.length === 0
  const verdict = isEmpty
    ? whenEmpty === 'drop'
      ? 'drop'
      : 'goto refuse'
    : `goto ${serviceChain(frontend)}`
  const map = `${isEmpty ? 'empty-' : ''}${address === '' ? 'node-ports' : 'ports'}`
  const key = [...(address === '' ? [] : [address]), protocol.toLowerCase(), port].join(' . ')
  return [`add element ${table} ${map} { ${key} : ${verdict} }`]
}
