/** Refused definitions: every error, in the order in which the public servers tell them, which is that in which they look. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { ComparedServer } from '../../../tools/compare/server.ts'
import { causesOf, recordedCases, startComparedServer } from '../../support/compared.ts'

interface Refusal {
  /** What is told in its order. */
  readonly fact: string
  readonly body: JsonObject
  /** `field: message` of each cause; `field reason` where the message shows a value in words of its own. */
  readonly told: readonly string[]
}

const refusals = recordedCases<Refusal>('definition-refusals.json')

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

const test = suite<{ server: ComparedServer }>('tools/compare: refused definitions')

test.before(async (context) => {
  context.server = await startComparedServer()
})
test.after(({ server }) => server.close())

for (const { fact, body, told } of refusals) {
  test(`errors of a definition are told in order: ${fact}`, async ({ server }) => {
    const [answer] = await server.run([{ method: 'POST', path, query: { dryRun: 'All' }, body }])
    const found = causesOf(answer).map(({ field, reason, message }, at) => {
      const short = `${field} ${reason}`
      return told[at] === short ? short : `${field}: ${message}`
    })
    assert.equal(found, told)
  })
}

test.run()
