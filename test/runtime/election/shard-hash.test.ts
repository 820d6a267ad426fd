import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { memberOf, shardOf } from '../../../runtime/election/election.ts'
import { seededRandom } from '../../../runtime/testing/seeded-random.ts'

const test = suite('runtime/election: which member a shard belongs to')

const shards = Array.from({ length: 256 }, (_, shard) => shard)
const owners = (members: readonly string[]) => shards.map((shard) => memberOf(shard, members))
const group = (size: number, random: () => number): readonly string[] =>
  Array.from({ length: size }, () => `operator-${Math.floor(random() * 1e9).toString(36)}`)

test('where a member joins only shards that become its own move, where one leaves only its own', () => {
  const random = seededRandom(7)
  for (let round = 0; round < 50; round++) {
    const members = group(1 + Math.floor(random() * 8), random)
    const before = owners(members)
    const after = owners([...members, 'another'])
    for (const shard of shards) {
      if (after[shard] !== 'another') assert.is(after[shard], before[shard])
    }
    const moved = shards.filter((shard) => after[shard] !== before[shard]).length
    const fair = shards.length / (members.length + 1)
    assert.ok(Math.abs(moved - fair) < 6 * Math.sqrt(fair), `${moved} of ${fair} moved`)
  }
})

test('the order in which members are named does not matter', () => {
  const members = group(5, seededRandom(1))
  assert.equal(owners([...members].reverse()), owners(members))
})

test('no shard belongs to one of no members', () => {
  assert.is(memberOf(3, []), undefined)
})

test('keys with the usual names are spread over all shards', () => {
  const counts = new Map<number, number>()
  for (let at = 0; at < 32_000; at++) {
    const shard = shardOf(`shop-${at % 20}/web-${at}`, 32)
    counts.set(shard, (counts.get(shard) ?? 0) + 1)
  }
  assert.is(counts.size, 32)
  for (const count of counts.values()) assert.ok(count > 800 && count < 1200, `${count} of 1000`)
})

test.run()
