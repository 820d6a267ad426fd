// Processes that compete for a lease, are killed and stopped under load, and what of them reaches the server.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { leases } from 'orch/generated/apis/coordination/v1'
import { type ConfigMap, configMaps } from 'orch/generated/apis/core/v1/config-map'
import { type ControlPlane, startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hangSignal } from '../../support/deadline.ts'
import { until } from '../../support/until.ts'

/** A write of one of the processes, as the server's watch told of it. */
interface Stamp {
  readonly holder: string
  readonly token: number
}

interface Running {
  plane: ControlPlane
  start: (name: string) => ChildProcess
  /** Every stamp so far, in the order of their revisions. */
  stamps: readonly Stamp[]
  end: () => Promise<void>
}

const test = suite<Running>('examples/guide: leader election')
const main = fileURLToPath(new URL('../../../examples/guide/leader-election.js', import.meta.url))

test.before.each(async (context) => {
  const plane = await startControlPlane({ socket: true })
  const folder = await mkdtemp(join(tmpdir(), 'election-'))
  const orchconfig = join(folder, 'orchconfig')
  await writeFile(orchconfig, plane.orchconfig ?? '')
  const children: ChildProcess[] = []
  const stop = new AbortController()
  const stamps: Stamp[] = []
  const watching = collect(plane, stamps, stop.signal)
  const loading = load(plane, stop.signal)
  context.plane = plane
  context.stamps = stamps
  context.start = (name) => {
    const child = spawn(process.execPath, [main, orchconfig, name], { stdio: 'ignore' })
    children.push(child)
    return child
  }
  context.end = async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(exit))
    stop.abort()
    await Promise.all([watching, loading])
    await plane.stop()
    await rm(folder, { recursive: true })
  }
})

test.after.each(({ end }) => end())

/** Asks for stamps without end, of ten objects in turn. */
async function load({ client }: ControlPlane, signal: AbortSignal): Promise<void> {
  const maps = client.resource(configMaps)
  for (let round = 0; !signal.aborted; round++) {
    await maps.apply({ metadata: { name: `m${round % 10}` }, data: { wanted: String(round) } })
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function collect(
  { client }: ControlPlane,
  stamps: Stamp[],
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, string | undefined>()
  for await (const { object } of client.resource(configMaps).in('default').watch({}, signal)) {
    const { data = {}, metadata } = object as ConfigMap
    const { holder, token, seen: stamp } = data
    if (stamp === seen.get(metadata.name as string) || holder === undefined) continue
    seen.set(metadata.name as string, stamp)
    stamps.push({ holder, token: Number(token) })
  }
}

const exit = async (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? undefined
    : once(child, 'exit', { signal: hangSignal() })

const stampedBy = (stamps: readonly Stamp[], holder: string): number =>
  stamps.filter((one) => one.holder === holder).length

/** The tokens never go back: no write of a term came after one of a later term. */
function assertFenced(stamps: readonly Stamp[]): void {
  const tokens = stamps.map(({ token }) => token)
  assert.equal(
    tokens,
    [...tokens].sort((a, b) => a - b),
  )
  const holders = new Set(stamps.map(({ holder, token }) => `${token} ${holder}`))
  assert.is(holders.size, new Set(tokens).size, `two holders of one term: ${[...holders].join()}`)
}

test('where the holder is killed under load another takes over, and no write of two terms is mixed', async ({
  start,
  stamps,
}) => {
  const a = start('a')
  await until('a works', () => stampedBy(stamps, 'a') > 5)
  const b = start('b')
  a.kill('SIGKILL')
  await until('b works', () => stampedBy(stamps, 'b') > 5)
  start('c')
  b.kill('SIGKILL')
  await until('c works', () => stampedBy(stamps, 'c') > 5)
  assertFenced(stamps)
})

test('a holder that was stopped for long writes nothing when it goes on', async ({
  plane,
  start,
  stamps,
}) => {
  const a = start('a')
  await until('a works', () => stampedBy(stamps, 'a') > 5)
  const b = start('b')
  a.kill('SIGSTOP')
  await until('b works', () => stampedBy(stamps, 'b') > 5)
  a.kill('SIGCONT')
  const before = stamps.length
  await until('b goes on', () => stamps.length > before + 20)
  assertFenced(stamps)
  b.kill('SIGKILL')
  await until('a again', () => stamps.at(-1)?.holder === 'a')
  assertFenced(stamps)
  const lease = await plane.client.resource(leases).get('stamp-operator')
  assert.is(lease.spec?.leaseTransitions, 2)
})

test('a holder that is told to stop gives the lease back', async ({ plane, start, stamps }) => {
  const a = start('a')
  await until('a works', () => stampedBy(stamps, 'a') > 5)
  a.kill('SIGTERM')
  assert.equal(await once(a, 'exit', { signal: hangSignal() }), [0, null])
  const lease = await plane.client.resource(leases).get('stamp-operator')
  assert.is(lease.spec?.holderIdentity, '')
})

test.run()
