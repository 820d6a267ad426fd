import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  apiLibraries,
  authorizerType,
  authorizerValue,
  compile,
  createEnvironment,
  type Program,
  readSchema,
  schemaType,
  type Value,
  withVariables,
} from '../../../../runtime/cel/cel.ts'
import {
  expressions,
  type Limits,
  limitsOf,
  objectsWithin,
  schemaWithin,
} from '../../../support/cel-random.ts'
import { someUser } from '../../../support/expressions.ts'

const test = suite('runtime/cel/estimate')

const base = createEnvironment({
  libraries: apiLibraries,
  macros: { twoVariables: true, bind: true },
  variables: [{ name: 'authorizer', type: authorizerType, read: (raw) => raw as Value }],
})
const authorizer = authorizerValue(someUser)

function programOf(source: string, limits: Limits): Program {
  const found = schemaType(readSchema(schemaWithin(limits), { prefixes: ['orch'] }), 'self')
  if (found === undefined) throw new Error('not visible')
  const { type, read, bounds } = found
  const compiled = compile(source, withVariables(base, [{ name: 'self', type, read }], bounds))
  if (!compiled.ok) throw new Error(`${source}\n${compiled.text}`)
  return compiled.program
}

const cases = limitsOf.chain((limits) =>
  fc.record({ limits: fc.constant(limits), self: objectsWithin(limits), source: expressions }),
)

/** Where the release's estimates, which decide what can be written, stay below what is counted when it runs. */
const below: readonly (readonly [why: string, source: string])[] = [
  ['a prefix is estimated by its own size, counted by the text', "self.s.startsWith('a')"],
  ['a suffix is, too', "self.s.endsWith('a')"],
  ['keys of a map are taken for empty', "self.m.all(k, k.contains('a'))"],
]

for (const [why, source] of below) {
  test(`A2.73 the estimate is below the cost only where it is known to be: ${why}`, () => {
    const limits = { length: 200, items: 8, properties: 2 }
    const long = 'a'.repeat(200)
    const self = { s: long, ls: Array(8).fill(long), m: { [long]: 'a', [`b${long}`]: 'b' } }
    const program = programOf(source, limits)
    assert.ok(program.evaluate({ self }).cost > program.estimate.max)
  })
}

function costs(source: string, self: object): readonly [cost: number, worst: number] {
  const program = programOf(source, { length: 100, items: 100, properties: 100 })
  return [program.evaluate({ self }).cost, program.estimate.max]
}

test('A8.6, A2.73 a comparison costs 1, a list literal 40, unless it is constant and made once', () => {
  assert.equal(costs('1 == 2', {}), [1, 1])
  assert.equal(costs('1 < 2', {}), [1, 1])
  assert.equal(costs('[].size() == 0', {}), [2, 42])
  assert.equal(costs('[1, 2, 3].size() == 3', {}), [2, 42])
  assert.equal(costs('[self.n].size() == 1', { n: 1 }), [44, 44])
})

test('D-06 a map literal costs 30', () => {
  assert.equal(costs("{'a': self.n}.size() == 1", { n: 1 }), [34, 34])
})

test('A8.6, A2.73 a regular expression costs its length times the length of the input', () => {
  const s = 'a'.repeat(99)
  const pattern = (length: number) => `self.s.matches('${'a'.repeat(length)}')`
  const path = 2
  assert.is(costs(pattern(4), { s })[0], path + 10 * 1)
  assert.is(costs(pattern(8), { s })[0], path + 10 * 2)
  assert.is(costs(pattern(40), { s })[0], path + 10 * 10)
  assert.is(costs(pattern(40), { s: 'a'.repeat(49) })[0], path + 5 * 10)
  assert.is(costs(pattern(40), { s })[1], path + Math.ceil((4 * 100 + 1) / 10) * 10)
})

test('A2.73 a walk costs three for each item, and its worst case is the longest list', () => {
  const ln = Array.from({ length: 50 }, (_, at) => at)
  assert.equal(costs('self.ln.all(x, true)', { ln }), [2 + 1 + 3 * 50, 2 + 1 + 3 * 100])
})

test('A2.73 costs and steps are the same however often and wherever an expression runs', () => {
  fc.assert(
    fc.property(cases, ({ limits, self, source }) => {
      const [one, other] = [programOf(source, limits), programOf(source, limits)]
      const { is, cost } = one.evaluate({ self, authorizer })
      for (const program of [one, other]) {
        const again = program.evaluate({ self, authorizer })
        assert.equal([again.is, again.cost], [is, cost])
      }
    }),
    { numRuns: 300 },
  )
})

/** The dearest single steps of these expressions, which may be begun with one unit left; one over two lists costs a unit a pair. */
const steps = { check: 350_000, literal: 40, text: 60 }

/** The most pairs that `sets` compares at once: either list has fewer items than characters. */
function pairsOf(source: string): number {
  return source.includes('sets.') ? source.length ** 2 : 0
}

test('A2.73 a budget halts every evaluation, at the latest after the step that spends it', () => {
  fc.assert(
    fc.property(cases, fc.nat({ max: 300 }), ({ limits, self, source }, remaining) => {
      const program = programOf(source, limits)
      const free = program.evaluate({ self, authorizer })
      const budget = { remaining }
      const held = program.evaluate({ self, authorizer }, budget)
      assert.is(budget.remaining, remaining - held.cost)
      assert.ok(held.cost <= free.cost)
      if (free.cost <= remaining) assert.equal([held.is, held.cost], [free.is, free.cost])
      else assert.is(held.is, 'stopped')
      const step = source.includes('authorizer') ? steps.check : steps.literal
      assert.ok(
        held.cost <= remaining + step + steps.text + source.length + pairsOf(source),
        `${source}: ${held.cost}`,
      )
    }),
    { numRuns: 1000 },
  )
})

test('A2.73 calls that errors prevent are charged one by one: the first that overspends is the last', () => {
  const denied = "authorizer.group(self.ls[0]).resource('a').check('get').allowed()"
  const program = programOf(`${denied} || ${denied}`, { length: 10, items: 1, properties: 1 })
  const budget = { remaining: 23 }
  const { is, cost } = program.evaluate({ self: { ls: [] }, authorizer }, budget)
  assert.is(is, 'stopped')
  assert.ok(cost > steps.check && cost < 2 * steps.check, String(cost))
})

test.run()
