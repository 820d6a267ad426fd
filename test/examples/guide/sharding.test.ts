// Processes that share keys, are killed and stopped under load, and what of them reaches the server.
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { leases } from 'orch/generated/apis/coordination/v1'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hangSignal } from '../../support/deadline.ts'
import {
  type Stamp,
  type StampingProcesses,
  startStamping,
} from '../../support/stamping-processes.ts'
import { until } from '../../support/until.ts'

const test = suite<StampingProcesses>('examples/guide: sharding')
const main = fileURLToPath(new URL('../../../examples/guide/sharding.js', import.meta.url))
const keys = 40

test.before.each(async (context) => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 2))
  Object.assign(context, await startStamping({ main, field: 'member', objects: keys, pause }))
})

test.after.each(({ end }) => end())

/** The members that stamped last, if every object was stamped since the given count by one of these alone. */
function work(stamps: readonly Stamp[], since: number, members: readonly string[]): boolean {
  const last = new Map(stamps.slice(since).map(({ name, by }) => [name, by] as const))
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
    const holders = new Set(own.map(({ by, token }) => `${token} ${by}`))
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
