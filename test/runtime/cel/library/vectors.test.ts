import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outcomeOf } from '../../../support/expressions.ts'

const test = suite('runtime/cel/library/vectors')

test('errors of string_ext have the texts of the vectors', () => {
  const sections = tests.suites?.find(({ name }) => name === 'string_ext')?.suites ?? []
  let compared = 0
  for (const { original } of sections.flatMap((section) => section.tests ?? [])) {
    const wanted = original.evalError as { errors?: { message: string }[] } | undefined
    const message = wanted?.errors?.[0]?.message
    const outcome = outcomeOf(String(original.expr))
    if (message === undefined || isRefused(outcome)) continue
    assert.equal(outcome, { error: message }, original.expr)
    compared++
  }
  assert.ok(compared > 20)
})

/** What is refused before it runs has a text of its own. */
function isRefused(outcome: ReturnType<typeof outcomeOf>): boolean {
  return typeof outcome === 'object' && outcome !== null && 'issue' in outcome
}

test.run()
