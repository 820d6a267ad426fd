// Processes that share keys, are killed and stopped under load, and what of them reaches the server.
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
  readonly name: string
  readonly member: string
  readonly token: number
}

interface Running {
  plane: ControlPlane
  start: (name: string) => ChildProcess
  /** Every stamp so far, in the order of their revisions. */
  stamps: readonly Stamp[]
  end: () => Promise<void>
}

const test = suite<Running>('examples/guide: sharding')
const main = fileURLToPath(new URL('../../../examples/guide/sharding.js', import.meta.url))

test.before.each(async (context) => {
  const plane = await startControlPlane({ socket: true })
  const folder = await mkdtemp(join(tmpdir(), 'sharding-'))
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
    stop.abort()
    await Promise.all([watching, loading])
    await plane.stop()
    await rm(folder, { recursive: true })
  }
})

test.after.each(({ end }) => end())

const keys = 40

/** Asks for stamps without end, of forty objects in turn. */
async function load({ client }: ControlPlane, signal: AbortSignal): Promise<void> {
  const maps = client.resource(configMaps)
  for (let round = 0; !signal.aborted; round++) {
    await maps.apply({ metadata: { name: `m${round % keys}` }, data: { wanted: String(round) } })
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function collect(
  { client }: ControlPlane,
  stamps: Stamp[],
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, string | undefined>()
  for await (const { object } of client.resource(configMaps).in('default').watch({}, signal)) {
    const { data = {}, metadata } = object as ConfigMap & { metadata: { name: string } }
    const { member, token, seen: stamp } = data
    if (stamp === seen.get(metadata.name) || member === undefined) continue
    seen.set(metadata.name, stamp)
    stamps.push({ name: metadata.name, member, token: Number(token) })
  }
}

/** The members that stamped last, if every object was stamped since the given count by one of these alone. */
function work(stamps: readonly Stamp[], since: number, members: readonly string[]): boolean {
  const last = new Map(stamps.slice(since).map(({ name, member }) => [name, member] as const))
  return last.size === keys && members.join() === [...new Set(last.values())].sort().join()
}

/** The tokens of a key never go back: no write of a term came after one of a later term, and no term had two members. */
function assertFenced(stamps: readonly Stamp[]): void {
  for (const name of new Set(stamps.map((stamp) => stamp.name))) {
    const own = stamps.filter((stamp) => stamp.name === name)
    const tokens = own.map(({ token }) => token)
    assert.equal(
      tokens,
      [...tokens].sort((a, b) => a - b),
      name,
    )
    const holders = new Set(own.map(({ member, token }) => `${token} ${member}`))
    assert.is(holders.size, new Set(tokens).size, `${name}: ${[...holders].join()}`)
  }
}

test('three processes share the keys; those of one that is killed, or stopped for long, pass to the others', async ({
  plane,
  start,
  stamps,
}) => {
  const [, b] = [start('a'), start('b')]
  await until('two work', () => work(stamps, 0, ['a', 'b']))
  const c = start('c')
  await until('three work', () => work(stamps, stamps.length - 200, ['a', 'b', 'c']))
  b.kill('SIGKILL')
  await until('b is gone', () => work(stamps, stamps.length - 100, ['a', 'c']))
  c.kill('SIGSTOP')
  await until('a works alone', () => work(stamps, stamps.length - 100, ['a']))
  c.kill('SIGCONT')
  await until('c works again', () => work(stamps, stamps.length - 100, ['a', 'c']))
  c.kill('SIGTERM')
  assert.equal(await once(c, 'exit', { signal: hangSignal() }), [0, null])
  await until('a works alone again', () => work(stamps, stamps.length - 100, ['a']))
  assertFenced(stamps)
  const { items } = await plane.client.resource(leases).listAll({})
  const members = items.map(({ metadata }) => metadata.name).filter((one) => one.includes('member'))
  assert.equal(members, ['stamp-operator-member-a'])
})

test.run()
