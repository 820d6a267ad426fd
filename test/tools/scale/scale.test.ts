import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { seededRandom } from '../../../runtime/kernel/async/seeded-random.ts'
import { type Cluster, plans } from '../../../tools/scale/cluster.ts'
import { measured } from '../../../tools/scale/measured.ts'
import { serverNeeds } from '../../../tools/scale/paper.ts'
import { simulate } from '../../../tools/scale/simulation.ts'
import { Station } from '../../../tools/scale/station.ts'
import { scaleTables } from '../../../tools/scale/tables.ts'

const scale = suite('tools/scale')

scale('the document shows what the simulation computes', () => {
  const shown = /<!-- figures -->\n\n([\s\S]*?)\n\n<!-- \/figures -->/
  const [, figures] = shown.exec(readFileSync('docs/scale.md', 'utf8')) ?? []
  assert.is(figures, scaleTables(), 'mend it with: node dist/tools/simulate-scale.js --write')
})

scale('every plan is of ten million objects, each of which some server serves', () => {
  for (const { resources, groups } of Object.values(plans)) {
    assert.is(
      resources.reduce((sum, { objects }) => sum + objects, 0),
      10_000_000,
    )
    const served = groups.flatMap(({ serves }) => serves).sort()
    assert.equal(served, resources.map(({ name }) => name).sort())
  }
})

scale('a station works on as many things at once as it has processors, in their order', () => {
  const one = new Station(1)
  assert.equal([one.serve(0, 10), one.serve(1, 10), one.serve(50, 10)], [10, 20, 60])
  const two = new Station(2)
  assert.equal([two.serve(0, 10), two.serve(1, 10), two.serve(2, 10)], [10, 11, 20])
  assert.equal([one.busyMs, two.busyMs], [30, 30])
})

scale('servers are as busy as what they are asked costs, and more servers less so', () => {
  const resource = { name: 'a', objects: 1000, bytes: 1024, gets: 1000, pages: 0.01, writes: 0.01 }
  const of = (servers: number, keeps: readonly string[]): Cluster => ({
    resources: [resource],
    databaseCores: 1,
    groups: [{ name: 'all', servers, keeps, serves: ['a'] }],
  })
  const costs = { ...measured, kept: { ...measured.kept, get: 0.5 } }
  const busy = (servers: number) =>
    simulate(of(servers, ['a']), costs, 30, seededRandom(1)).busy.get('all') ?? 0
  assert.ok(Math.abs(busy(1) - 0.5) < 0.02, `${busy(1)} of one processor`)
  assert.ok(Math.abs(busy(2) - 0.25) < 0.02, `${busy(2)} of two`)
  const [group] = of(1, []).groups
  assert.is(serverNeeds(of(1, []), group!, costs).memoryMiB, costs.emptyMiB)
  const kinds = simulate(of(1, []), costs, 1, seededRandom(1)).delays.keys()
  assert.ok([...kinds].includes('get, not kept'))
})

scale.run()
