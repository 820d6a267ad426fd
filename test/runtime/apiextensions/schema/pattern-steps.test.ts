import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { maxInstructionsOfSchema } from '../../../../runtime/apiextensions/schema/pattern-size.ts'
import { patternCost } from '../../../../runtime/apiextensions/schema/patterns.ts'
import { schemaOf } from '../../../../runtime/apiextensions/schema/schema.ts'
import { validateStructural } from '../../../../runtime/apiextensions/schema/structural.ts'
import { wholeSlice } from '../../../../runtime/kernel/async/slices.ts'
import type { JsonObject } from '../../../../runtime/kernel/values/json.ts'

const steps = suite('runtime/apiextensions: steps of patterns')

/** What the validation of a schema with these patterns yields. */
function costs(patterns: readonly string[]): readonly number[] {
  const fields = patterns.map((pattern, at) => [`p${at}`, { type: 'string', pattern }] as const)
  const schema: JsonObject = { type: 'object', properties: Object.fromEntries(fields) }
  return [...validateStructural(schemaOf(schema, 'orch'), 'schema', 'orch')]
}

steps('a pattern is paid for where it is compiled, so that no slice holds many', () => {
  const patterns = Array.from({ length: 200 }, (_, n) => `^${'ab?'.repeat(25)}${n}$`)
  const paid = costs(patterns)
  const owed = patterns.reduce((sum, pattern) => sum + patternCost(pattern), 0)
  assert.ok(paid.reduce((sum, cost) => sum + cost, 0) >= owed)
  assert.ok(Math.max(...paid) < wholeSlice)
})

steps('of more patterns than a schema may have the last are not compiled', () => {
  const large = (n: number) => `(((a{10}){10}){9}${n})`
  const each = patternCost(large(100))
  const paid = costs(Array.from({ length: 900 }, (_, n) => large(100 + n)))
  const compiled = paid.filter((cost) => cost >= each).length
  assert.ok(compiled > 0 && compiled * 900 <= maxInstructionsOfSchema, `${compiled} are compiled`)
})

steps.run()
