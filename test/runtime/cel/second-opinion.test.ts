/** Every rule of the schemas by another engine, where that can evaluate it: both say the same of the same values. */
import { evaluate, parse } from 'cel-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ruleSchemas } from '../../../generated/rules.ts'
import { compileRules, readSchema } from '../../../runtime/cel/cel.ts'
import { isObject, type Json, type JsonObject } from '../../../runtime/kernel/values/json.ts'

const test = suite('runtime/cel: second opinion')

/** A rule and the schema that it stands in. */
interface Placed {
  readonly rule: string
  readonly schema: JsonObject
}

const keyword = 'x-orch-validations'
const resolve = (name: string) => ruleSchemas[name]?.()

function rulesIn(json: Json): readonly Placed[] {
  if (Array.isArray(json)) return json.flatMap(rulesIn)
  if (!isObject(json)) return []
  const { [keyword]: own, ...schema } = json
  const rules = Array.isArray(own) ? own : []
  const found = rules.map((one) => ({ rule: String((one as JsonObject).rule), schema }))
  return [...found, ...Object.values(schema).flatMap((each) => rulesIn(each ?? null))]
}

const scalars: Readonly<Record<string, readonly Json[]>> = {
  integer: [-1, 0, 1, 2, 7, 30, 31, 100, 65536],
  number: [-1, 0, 1, 100],
  string: ['', 'a', 'A', 'a.b', '-a', '10', 'Always', 'x'.repeat(64)],
  boolean: [true, false],
}

/** Values of a schema: each field takes each of its values in turn, and is left out in turn. */
function valuesOf(given: JsonObject, depth: number): readonly Json[] {
  const { $ref, ...beside } = given
  const schema = typeof $ref === 'string' ? { ...resolve($ref), ...beside } : given
  if (Array.isArray(schema.enum)) return schema.enum
  const type = String(schema.type ?? '')
  if (type === 'array' && isObject(schema.items) && depth > 0) {
    const items = valuesOf(schema.items, depth - 1)
    return [[], items.slice(0, 1), items.slice(0, 2)]
  }
  if (type !== 'object' || depth === 0) return scalars[type] ?? []
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {})
  const choices = fields.map(
    ([name, each]) => [name, isObject(each) ? valuesOf(each, depth - 1) : []] as const,
  )
  const most = Math.max(1, ...choices.map(([, values]) => values.length))
  const whole = Array.from({ length: most }, (_, turn) =>
    Object.fromEntries(
      choices.flatMap(([name, values], at) =>
        values.length === 0 ? [] : [[name, values[(turn + at) % values.length] ?? null]],
      ),
    ),
  )
  const first = whole[0] ?? {}
  const without = fields.map(([name]) =>
    Object.fromEntries(Object.entries(first).filter(([key]) => key !== name)),
  )
  return [...whole, ...without, {}]
}

/** What this engine says: undefined where the rule ends with an error. */
function own({ rule, schema }: Placed, value: Json): boolean | undefined {
  const node = readSchema({ ...schema, [keyword]: [{ rule }] }, { prefixes: ['orch'], resolve })
  const options = { extension: 'orch', costChecked: true, formsChecked: true, notResource: true }
  const rules = compileRules(node, '', options)
  if (rules.problems.length > 0) return undefined
  const found = rules.violations(value).filter(({ at }) => at === '')
  return found.some(({ failed }) => failed) ? undefined : found.length === 0
}

/** What the other engine says: undefined where it cannot tell. */
function other(rule: string, value: Json): boolean | undefined {
  try {
    const said = evaluate(rule, { self: value })
    return typeof said === 'boolean' ? said : undefined
  } catch {
    return undefined
  }
}

const all = Object.values(ruleSchemas).flatMap((load) => rulesIn(load()))
const placed = [
  ...new Map(all.map((one) => [`${one.rule}\0${JSON.stringify(one.schema)}`, one])).values(),
]

test('where both engines evaluate a rule they say the same', () => {
  const differences: string[] = []
  let compared = 0
  const evaluated = new Set<string>()
  for (const one of placed) {
    if (!parse(one.rule).isSuccess) continue
    for (const value of valuesOf(one.schema, 3)) {
      const [mine, theirs] = [own(one, value), other(one.rule, value)]
      if (mine === undefined || theirs === undefined) continue
      compared++
      evaluated.add(one.rule)
      if (mine !== theirs) differences.push(`${one.rule} of ${JSON.stringify(value)}: ${mine}`)
    }
  }
  console.log(`${evaluated.size} of ${placed.length} rules, ${compared} values`)
  assert.equal(differences, [])
  assert.ok(evaluated.size > 0)
})

test.run()
