/**
 * A whole server on PostgreSQL beside one on a file of SQLite, in turns: creates by 64 writers over TLS, and reads from the cache. With
 * ORCH_BENCH_REFERENCE, a folder with the programs `etcd` and `kube-apiserver`, beside these as well. Everything syncs before it answers.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAuthority, issueCertificate } from '../../runtime/certificates/certificates.ts'
import { noPostgres, postgresPrograms, startPostgres } from '../postgres.ts'
import { type Address, exchange, openConnections, requestBytes } from './load.ts'
import { microsOfTree } from './processor-time.ts'
import type { Goal, Report } from './report.ts'
import { median } from './servers.ts'

const writers = 64
/** Odd, so that the median is a measured value. */
const rounds = Number(process.env.ORCH_BENCH_ROUNDS ?? 5)
const [warmMs, createMs, readMs] = [3000, 2500, 1000]

const referencePrograms = process.env.ORCH_BENCH_REFERENCE
const program = fileURLToPath(new URL('../../packed/orch-apiserver.js', import.meta.url))

/** Creates and reads, in turns. */
export async function bench(report: Report): Promise<void> {
  if (postgresPrograms === undefined) {
    console.log(`not measured: ${noPostgres}`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  const files = await makeFiles(folder)
  const postgres = await startPostgres()
  const database = Number(
    readFileSync(join(postgres.folder, 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0],
  )
  const servers: Server[] = []
  try {
    servers.push(await startOurs('PostgreSQL', files, postgres.url('bench'), [database]))
    const two = ['--processes=2']
    servers.push(await startOurs('two processes', files, postgres.url('both'), [database], two))
    servers.push(await startOurs('SQLite', files, `sqlite:${join(folder, 'orch.db')}`))
    if (referencePrograms !== undefined)
      servers.push(await startReference(referencePrograms, files))
    await measure(report, servers)
  } finally {
    for (const server of servers) await server.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A server, whatever it stores in. */
interface Server {
  readonly name: string
  readonly address: Address
  /** Microseconds of processor time of the server and of what it stores in. */
  cpu(): number
  stop(): Promise<void>
}

async function measure(report: Report, servers: readonly Server[]): Promise<void> {
  const measured = servers.map((server) => ({
    ...server,
    creates: [] as Rate[],
    reads: [] as Rate[],
    latest: [] as Rate[],
  }))
  for (const server of servers) await reads(server)
  // Reads come first: what a database does behind creates would count as theirs.
  for (let round = 0; round < rounds; round++) {
    for (const each of measured) each.reads.push(await reads(each))
    for (const each of measured) each.latest.push(await reads(each, ''))
  }
  for (const server of servers) await creates(server, warmMs)
  for (let round = 0; round < rounds; round++) {
    for (const each of measured) each.creates.push(await creates(each, createMs))
  }
  const others = measured.slice(2)
  for (const own of measured.slice(0, 2)) for (const other of others) compare(report, own, other)
}

/** What was measured of one server. */
interface Measured extends Pick<Server, 'name'> {
  readonly creates: readonly Rate[]
  readonly reads: readonly Rate[]
  /** Reads of the latest version, which a server that shares its database asks that for. */
  readonly latest: readonly Rate[]
}

function compare(report: Report, own: Measured, other: Measured): void {
  const isFile = other.name === 'SQLite'
  const row = (
    what: string,
    unit: string,
    figure: (server: Measured) => number,
    goal?: Omit<Goal, 'of'>,
  ): void => {
    const limit = { name: other.name, value: figure(other) }
    report(what, figure(own), unit, limit, goal && { ...goal, of: 'limit' })
  }
  const creates = `${own.name}: creates, ${writers} writers`
  row(creates, '/s', (server) => rateOf(server.creates), { atLeast: isFile ? 0.6 : 1 })
  row('  processor, database included', 'us', (server) => microsOf(server.creates))
  row('  reads from the cache', '/s', (server) => rateOf(server.reads))
  row('  processor', 'us', (server) => microsOf(server.reads), { atMost: isFile ? 1.1 : 1 })
  row('  reads of the latest version', '/s', (server) => rateOf(server.latest))
  row('  processor', 'us', (server) => microsOf(server.latest))
}

/** What one round came to. */
interface Rate {
  readonly perSecond: number
  readonly micros: number
}

const rateOf = (rates: readonly Rate[]): number => median(rates.map(({ perSecond }) => perSecond))
const microsOf = (rates: readonly Rate[]): number => median(rates.map(({ micros }) => micros))

const maps = '/api/v1/namespaces/default/configmaps'
const headers = 'Authorization: Bearer bench-token\r\n'
const data = { value: 'x'.repeat(1700) }
let made = 0

function create(): Buffer {
  made += 1
  return requestBytes('POST', maps, JSON.stringify({ metadata: { name: `m-${made}` }, data }), {
    headers,
  })
}

const creates = (server: Server, ms: number): Promise<Rate> => load(server, create, ms)

/** By default the version of the cache is good enough for each of them. */
async function reads(server: Server, query = '?resourceVersion=0'): Promise<Rate> {
  const read = requestBytes('GET', `${maps}/read${query}`, '', { headers })
  return load(server, () => read, readMs)
}

async function load(server: Server, next: () => Buffer, ms: number): Promise<Rate> {
  const connections = await openConnections(server.address, writers)
  const [began, before] = [performance.now(), server.cpu()]
  const perSecond = await connections.perSecond(next, ms)
  const count = (perSecond * (performance.now() - began)) / 1000
  const micros = (server.cpu() - before) / count
  connections.close()
  return { perSecond, micros }
}

/** Certificates, tokens and keys, which all servers have in common. */
interface Files {
  readonly folder: string
  readonly ca: string
  readonly flags: readonly string[]
  readonly publicKey: string
}

async function makeFiles(folder: string): Promise<Files> {
  const lasts = { validFrom: Date.now() - 60_000, validUntil: Date.now() + 86_400_000 }
  const authority = await createAuthority({ ...lasts, commonName: 'bench' })
  const facts = { ...lasts, commonName: 'server', hosts: ['127.0.0.1'] }
  const pair = await issueCertificate({ ...facts, usages: ['server'] }, authority)
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const pem = { format: 'pem' } as const
  const signing = keys.privateKey.export({ ...pem, type: 'pkcs8' }).toString()
  return {
    folder,
    ca: authority.cert,
    flags: [
      `--tls-cert-file=${write('server.crt', pair.cert)}`,
      `--tls-private-key-file=${write('server.key', pair.key)}`,
      `--token-auth-file=${write('tokens.csv', 'bench-token,bench,1,"system:masters"\n')}`,
      `--service-account-signing-key-file=${write('accounts.key', signing)}`,
      '--service-account-issuer=https://bench.example',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
    ],
    publicKey: write('accounts.pub', keys.publicKey.export({ ...pem, type: 'spki' }).toString()),
  }
}

async function startOurs(
  name: string,
  files: Files,
  storage: string,
  others: readonly number[] = [],
  flags: readonly string[] = [],
): Promise<Server> {
  const args = [program, ...files.flags, ...flags, '--secure-port=0', `--storage=${storage}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { port } = new URL(String(line).replace('ready ', '').trim())
  return serverOf(name, files, Number(port), [child], others)
}

async function startReference(programs: string, files: Files): Promise<Server> {
  const [client, peer, secure] = (await freePorts(3)) as [number, number, number]
  const at = (port: number): string => `http://127.0.0.1:${port}`
  const etcd = spawn(
    join(programs, 'etcd'),
    [
      ...['--name=default', `--data-dir=${join(files.folder, 'etcd')}`, '--log-level=error'],
      ...[`--listen-client-urls=${at(client)}`, `--advertise-client-urls=${at(client)}`],
      ...[`--listen-peer-urls=${at(peer)}`, `--initial-advertise-peer-urls=${at(peer)}`],
      `--initial-cluster=default=${at(peer)}`,
    ],
    { stdio: 'ignore' },
  )
  const server = spawn(
    join(programs, 'kube-apiserver'),
    [
      ...files.flags,
      ...[`--etcd-servers=${at(client)}`, `--secure-port=${secure}`, `--cert-dir=${files.folder}`],
      ...['--service-cluster-ip-range=10.0.0.0/24', '--endpoint-reconciler-type=none'],
      `--service-account-key-file=${files.publicKey}`,
    ],
    { stdio: 'ignore' },
  )
  return serverOf('kube-apiserver with etcd', files, secure, [server, etcd])
}

/** A server, once it is ready and has the object that is read. */
async function serverOf(
  name: string,
  { ca }: Files,
  port: number,
  children: readonly ChildProcess[],
  others: readonly number[] = [],
): Promise<Server> {
  const address = { host: '127.0.0.1', port, tls: { ca } }
  const pids = [...children.map(({ pid = 0 }) => pid), ...others]
  const server = {
    name,
    address,
    cpu: () => pids.reduce((sum, pid) => sum + microsOfTree(pid), 0),
    async stop() {
      for (const child of children) {
        child.kill()
        await once(child, 'exit')
      }
    },
  }
  await ready(address, children)
  const body = JSON.stringify({ metadata: { name: 'read' }, data })
  await exchange(address, requestBytes('POST', maps, body, { headers }))
  return server
}

async function ready(address: Address, children: readonly ChildProcess[]): Promise<void> {
  for (;;) {
    try {
      await exchange(address, requestBytes('GET', '/readyz', '', { headers }))
      await exchange(address, requestBytes('GET', '/api/v1/namespaces/default', '', { headers }))
      return
    } catch (error) {
      const ended = children.find(({ exitCode }) => exitCode !== null)
      if (ended !== undefined)
        throw new Error(`${ended.spawnfile} ended with ${ended.exitCode}`, { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  const ports: number[] = []
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening')
    ports.push((server.address() as { port: number }).port)
  }
  for (const server of servers) server.close()
  return ports
}
