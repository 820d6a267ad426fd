/** What the comparison passes over where all requests are about one object. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { withSortedManagers } from '../../../tools/compare/one-object.ts'

const test = suite('tools/compare: one object')

const [one, other] = [{ manager: 'a "b"' }, { manager: 'c' }]
const object = (...managedFields: readonly JsonObject[]): JsonObject => ({
  metadata: { name: 'x', managedFields },
})
const event = (made: JsonObject) => `${JSON.stringify({ type: 'ADDED', object: made })}\n`
const refusal = (made: JsonObject) => {
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(made))}: why`
  return JSON.stringify({ message: ` "" is invalid: patch: ${message}`, causes: [{ message }] })
}

const forms: readonly [string, number, (made: JsonObject) => string][] = [
  ['an object', 200, (made) => JSON.stringify(made)],
  ['every event of a watch', 200, (made) => event(made) + event(made)],
  ['an object that a refusal shows', 422, refusal],
]

for (const [where, status, text] of forms) {
  const answer = (made: JsonObject) =>
    withSortedManagers({ status, headers: {}, text: text(made) }).text
  test(`the order of managers is passed over in ${where}`, () => {
    assert.is(answer(object(one, other)), answer(object(other, one)))
    assert.is.not(answer(object(one)), answer(object(other)))
  })
}

test.run()
