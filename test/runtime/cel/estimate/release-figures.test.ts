/**
 * What expressions cost in release 1.29.15, at most and when they run, and why it refuses those that it does not take, as
 * `test/golden/cel/figures.json` holds it. Expressions with list literals that are not constant are not among them: they
 * cost 10 there, and 40 by A8.6.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../../codegen/main.ts'
import {
  apiLibraries,
  compile,
  createEnvironment,
  readSchema,
  schemaType,
  withVariables,
} from '../../../../runtime/cel/cel.ts'
import type { JsonObject } from '../../../../runtime/kernel/values/json.ts'

const test = suite('runtime/cel: figures of the release')

interface Figures {
  readonly schema: JsonObject
  readonly object: JsonObject
  /** Expression, worst case (null: above 2^52), and what it costs for the object. */
  readonly costs: readonly (readonly [source: string, most: number | null, run: number])[]
  readonly refusals: readonly (readonly [source: string, text: string])[]
}

const file = join(packageRoot, 'test/golden/cel/figures.json')
const { schema, object, costs, refusals } = JSON.parse(readFileSync(file, 'utf8')) as Figures

function environment() {
  const found = schemaType(readSchema(schema, { prefixes: ['orch'] }), 'self')
  if (found === undefined) throw new Error('the schema is visible')
  const { type, read, bounds } = found
  const variables = ['self', 'oldSelf'].map((name) => ({ name, type, read }))
  const base = createEnvironment({ libraries: apiLibraries })
  return { ...withVariables(base, variables, bounds), stored: new Set<string>() }
}

const names = environment()

for (const [source, most, run] of costs) {
  test(`A2.73 ${source} costs ${run}, and at most ${most ?? 'more than any budget'}`, () => {
    const compiled = compile(source, names)
    if (!compiled.ok) throw new Error(compiled.text)
    const { max } = compiled.program.estimate
    assert.is(max > 2 ** 52 ? null : max, most)
    assert.is(compiled.program.evaluate({ self: object, oldSelf: object }).cost, run)
  })
}

for (const [source, text] of refusals) {
  test(`${source} is refused as the release refuses it`, () => {
    const compiled = compile(source, names)
    if (compiled.ok) return assert.is(compiled.program.type.kind === 'bool', false)
    const bool = compiled.type?.kind === 'bool'
    if (compiled.type === undefined) assert.is(`compilation failed: ${compiled.text}`, text)
    else if (bool) assert.is(`program instantiation failed: ${compiled.text}`, text)
  })
}

test.run()
