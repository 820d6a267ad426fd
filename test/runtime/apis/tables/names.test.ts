import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { cellOf, loadStrategies, strategiesOf } from '../../../../runtime/apis/apis.ts'
import { cells } from '../../../../runtime/apis/printers/cells.ts'
import { strategies } from '../../../../runtime/apis/tables/strategies.ts'
import { compileRules, schemaOf } from '../../../../runtime/cel/cel.ts'
import { ruleKeywordPrefix } from '../../../../runtime/kernel/descriptors/validation-rules.ts'
import { reviewerOf, reviewers } from '../../../../runtime/registry/reviews/reviewers.ts'
import { pods } from '../../../support/registry.ts'
import { kindFacts } from '../schema-names.ts'

const test = suite('runtime/apis: names')

test('every rule that a schema file names exists, and every rule is named', () => {
  const named = new Set(kindFacts().flatMap((kind) => kind.strategies))
  assert.equal([...named].sort(), [...strategies.keys()].sort())
})

test('every cell that a schema file names exists, and every cell is named', () => {
  const named = kindFacts().flatMap((kind) => kind.cells)
  const functions = new Set(named.filter((cell) => !cell.startsWith('.')))
  assert.equal([...functions].sort(), [...cells.keys()].sort())
})

test('every answer that a schema file names exists, and every answer is named', async () => {
  const named = new Set(kindFacts().flatMap((kind) => kind.reviews))
  assert.equal([...named].sort(), [...reviewers.keys()].sort())
  for (const kind of Object.values(scheme.routes)) {
    if (kind.review !== undefined) assert.type((await reviewerOf(kind)).review, 'function')
  }
})

test('every generated kind finds its rules and cells', async () => {
  for (const kind of Object.values(scheme.routes)) {
    const more = [kind.immutable, kind.validations].filter((each) => each !== undefined)
    await loadStrategies(kind)
    assert.is(strategiesOf(kind).length, kind.strategies.length + more.length)
    assert.is(kind.columns.map(cellOf).length, kind.columns.length)
  }
})

test('every rule that a schema states compiles, with what was generated of its schema', () => {
  const all = Object.values(scheme.routes).filter(({ validations }) => validations !== undefined)
  assert.ok(all.length > 5)
  for (const { validations } of all) {
    const compiled = compileRules(schemaOf(validations!), '', {
      extension: ruleKeywordPrefix,
      optionalOldSelf: true,
      costChecked: true,
    })
    assert.equal(compiled.findings, [])
  }
})

test('no cell throws on an object that has nothing', () => {
  const bare = { apiVersion: 'v1', kind: 'Anything', metadata: {} }
  const empty = { ...bare, spec: {}, status: {} }
  for (const cell of cells.values()) {
    assert.is.not(cell(bare, 0), undefined)
    assert.is.not(cell(empty, 0), undefined)
  }
})

test('an unknown name fails loudly', async () => {
  const [column] = pods.columns
  for (const name of ['podDefault', '__proto__']) {
    const error = await loadStrategies({ ...pods, strategies: [name] })?.catch(
      (one: unknown) => one,
    )
    assert.match(String(error), `unknown strategy ${name}`)
  }
  const unanswered = reviewerOf({ ...pods, review: 'toString' })
  assert.match(String(await unanswered.catch((one: unknown) => one)), 'unknown answer toString')
  assert.throws(() => cellOf({ ...column!, cell: 'podAge' }), /unknown cell podAge/)
  assert.throws(() => cellOf({ ...column!, cell: 'constructor' }), /unknown cell/)
})

test('a path that leads nowhere is empty for strings and null for the rest', () => {
  const column = { name: 'X', description: '', cell: '.spec.size' }
  const given = (size?: unknown) => ({ ...bareObject, spec: { size } })
  const text = cellOf({ ...column, type: 'string' })
  const number = cellOf({ ...column, type: 'integer' })
  assert.is(text(given(), 0), '')
  assert.is(number(given(), 0), null)
  assert.is(number(given(3), 0), 3)
  assert.is(text(given(['a']), 0), '["a"]')
})

const bareObject = { apiVersion: 'v1', kind: 'Anything', metadata: {} }

test.run()
