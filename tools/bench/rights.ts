import { fork } from 'node:child_process'
import { AccessIndex, rbacAuthorizer, ruleResolver } from '../../runtime/auth/auth.ts'
import { type Address, openConnections, requestBytes, watchAll } from './load.ts'
import type { Report } from './report.ts'
import { median } from './servers.ts'

const maps = '/api/v1/namespaces/default/configmaps'
/** Many and short, of which the best fifth counts: what else the machine does comes in bursts. */
const rounds = 60
const roundMs = 60
const watchers = 1000

/** What a user and its rights cost: each figure beside the same without them, over the same TLS, in turns. */
export async function bench(report: Report): Promise<void> {
  decisions(report)
  const servers = await startServers()
  await gets(report, servers)
  const goal = { atMost: 50 }
  report('a new binding counts after', await servers.bind(), 'ms', undefined, goal)
  await fanOut(report, servers)
  servers.stop()
}

/** Decisions of RBAC among 500 roles and 1,000 bindings, of which ten are about the user. */
function decisions(report: Report): void {
  const group = 'rbac.authorization.orch.io'
  const index = new AccessIndex()
  for (let at = 0; at < 500; at++) {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods', `other${at}`] }]
    index.setRole({ namespace: '', name: `r${at}`, rules })
  }
  for (let at = 0; at < 1000; at++) {
    index.setBinding({
      namespace: '',
      name: `b${at}`,
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: `r${at % 500}` },
      subjects: [{ kind: 'User', name: `u${at % 100}` }],
    })
  }
  const authorizer = rbacAuthorizer(index, ruleResolver(index, group), group)
  const user = { username: 'u7', groups: ['system:authenticated'] }
  const ask = (resource: string, name: string): void => {
    void authorizer.authorize({ user, verb: 'get', group: '', resource, name, namespace: 'shop' })
  }
  const known = microseconds(200_000, () => ask('pods', 'web'))
  report('a decision from the cache', known, 'us', undefined, { atMost: 5 })
  const refused = microseconds(20_000, (at) => ask('secrets', `n${at}`))
  report('a refusal that was never asked for', refused, 'us', undefined, { atMost: 50 })
}

/** Microseconds of processor time for one run. */
function microseconds(count: number, run: (at: number) => void): number {
  for (let at = 0; at < count / 4; at++) run(-at)
  const { user, system } = process.cpuUsage()
  for (let at = 0; at < count; at++) run(at)
  const after = process.cpuUsage()
  return (after.user + after.system - user - system) / count
}

interface Servers {
  readonly plain: Address
  readonly open: Address
  readonly guarded: Address
  readonly client: NonNullable<Address['tls']>
  readonly token: string
  readonly cpu: () => Promise<number>
  readonly bind: () => Promise<number>
  readonly stop: () => void
}

/** What the process of the servers says when they listen. */
interface Greeting {
  readonly urls: Readonly<Record<'plain' | 'open' | 'guarded', string>>
  readonly ca: string
  readonly client: { readonly cert: string; readonly key: string }
  readonly token: string
}

async function startServers(): Promise<Servers> {
  const child = fork(new URL('./rights-process.js', import.meta.url))
  const next = <T>(): Promise<T> => new Promise((resolve) => child.once('message', resolve))
  const { urls, ca, client, token } = await next<Greeting>()
  const at = (url: string): Address => {
    const { hostname: host, port } = new URL(url)
    return { host, port: Number(port), ...(url.startsWith('https') && { tls: { ca } }) }
  }
  const asked = async <T>(word: string): Promise<T> => {
    child.send(word)
    return next<T>()
  }
  return {
    plain: at(urls.plain),
    open: at(urls.open),
    guarded: at(urls.guarded),
    client: { ca, cert: client.cert, key: client.key },
    token,
    async cpu() {
      const { user, system } = await asked<NodeJS.CpuUsage>('cpu')
      return user + system
    },
    bind: () => asked<number>('bind'),
    stop: () => void child.kill(),
  }
}

/** Gets by a certificate and by a token, beside gets without a user: throughput, and the server's processor time. */
async function gets(report: Report, { open, guarded, client, token, cpu }: Servers): Promise<void> {
  const path = `${maps}/first`
  const bearer = `Authorization: Bearer ${token}\r\n`
  const side = async (address: Address, get: Buffer) => {
    const connections = await openConnections(address, 16)
    return { connections, get, rates: [] as number[], costs: [] as number[] }
  }
  const sides = [
    await side({ ...open, tls: client }, requestBytes('GET', path)),
    await side({ ...guarded, tls: client }, requestBytes('GET', path)),
    await side(guarded, requestBytes('GET', path, '', { headers: bearer })),
  ]
  for (let round = -20; round < rounds; round++) {
    for (const { connections, get, rates, costs } of sides) {
      const before = await cpu()
      const rate = await connections.perSecond(() => get, roundMs)
      const cost = (((await cpu()) - before) / (rate * roundMs)) * 1000
      if (round < 0) continue
      rates.push(rate)
      costs.push(cost)
    }
  }
  for (const { connections } of sides) connections.close()
  const [without, ...others] = sides.map(({ rates, costs }) => ({
    rate: rates.toSorted((a, b) => b - a)[rounds / 5] ?? 0,
    cost: costs.toSorted((a, b) => a - b)[rounds / 5] ?? 0,
  }))
  if (without === undefined) return
  const names = ['get by certificate and RBAC', 'get by token and RBAC']
  for (const [at, { rate, cost }] of others.entries()) {
    const goal = at === 0 ? ({ atLeast: 0.9, of: 'limit' } as const) : undefined
    const limit = { name: 'the same TLS, open to all', value: without.rate }
    report(names[at] ?? '', rate, '/s', limit, goal)
    const bound = at === 0 ? ({ atMost: 1.1, of: 'limit' } as const) : undefined
    report(`${names[at]}, processor`, cost, 'us', { ...limit, value: without.cost }, bound)
  }
}

/** One change to many watchers, over TLS and without. */
async function fanOut(report: Report, { plain, open }: Servers): Promise<void> {
  const run = async (address: Address, name: string): Promise<number> => {
    const bodies = Array.from({ length: 8 }, (_, at) =>
      JSON.stringify({ metadata: { name: `${name}${at}` } }),
    )
    return (await watchAll(address, maps, watchers, bodies)).ms
  }
  const [bare, own]: [number[], number[]] = [[], []]
  for (let round = 0; round < 3; round++) {
    bare.push(await run(plain, `p${round}-`))
    own.push(await run(open, `t${round}-`))
  }
  const limit = { name: 'without TLS', value: median(bare) }
  report(`one change to ${watchers} watchers over TLS`, median(own), 'ms', limit)
}
