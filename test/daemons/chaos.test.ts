/** Three servers on one PostgreSQL with a standby, while everything that can break breaks once. Longer: `npm run bench -- chaos --real-time`. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runChaos } from '../../tools/chaos/chaos.ts'
import { noPostgres, postgresPrograms } from '../support/postgres.ts'

const chaos = suite('daemons/apiserver: chaos')

const test: typeof chaos =
  postgresPrograms === undefined
    ? (((name: string) => console.log(`SKIP ${name}: ${noPostgres}`)) as never)
    : chaos

test('what clients of several servers are told is linearizable, and nothing acknowledged is lost, whatever is killed, paused or cut off', async () => {
  const report = await runChaos({ faults: 5, restMs: 1500 })
  assert.equal(report.problems, [])
  assert.ok(report.acknowledged > 0 && report.reads > 0 && report.events > 0)
  assert.ok(report.lists > 0 && report.services > 0 && report.terms > 0)
})

chaos.run()
