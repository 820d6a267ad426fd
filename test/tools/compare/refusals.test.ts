/** Objects that the comparison with another server found to be refused otherwise: what is told of each, in order. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { ComparedServer } from '../../../tools/compare/server.ts'
import { causesOf, recordedCases, startComparedServer } from '../../support/compared.ts'

interface Refusal {
  readonly path: string
  readonly body: JsonObject
  /** The causes as the other server tells them. */
  readonly told: readonly string[]
}

const refusals = recordedCases<Refusal>('refusals.json')

const test = suite<{ server: ComparedServer }>('tools/compare: refused objects')

test.before(async (context) => {
  context.server = await startComparedServer('refused')
})
test.after(({ server }) => server.close())

for (const [index, { path, body, told }] of refusals.entries()) {
  test(`${body.kind} ${index} is refused as by the other server`, async ({ server }) => {
    const [answer] = await server.run([{ method: 'POST', path, query: { dryRun: 'All' }, body }])
    assert.equal(
      causesOf(answer).map(({ field, message }) => `${field}: ${message}`),
      told,
    )
  })
}

test.run()
