import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import { decodeJson, decodeYaml } from '../../../../runtime/serializer/serializer.ts'
import { assertRejects } from '../../../support/rejects.ts'

const test = suite('runtime/serializer: limits')

const limits = { depth: 20, values: 10_000, keys: 500, items: 9_000 }

function refused(text: string): string {
  try {
    decodeJson(text, limits)
  } catch (error) {
    if (isStatus(error)) return `${error.code} ${error.message}`
    throw error
  }
  return 'read'
}

const many = (count: number, piece: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => piece(n)).join()

// K-11
test('a text with too many values is refused before it is read', () => {
  const why = '413 Request entity too large: it has more than 10000 values'
  assert.is(refused(`[${many(9_000, () => '0')}]`), 'read')
  assert.is(refused(`[${many(6, () => `[${many(2_000, () => '0')}]`)}]`), why)
  assert.is(refused(`[${many(6_000, () => '{}')}`), why)
})

test('a list or object that is too long is refused, whatever the others are', () => {
  const why = '413 Request entity too large: it has a list or object of more than 9000 entries'
  assert.is(refused(`[${many(9_001, () => '0')}]`), why)
  assert.is(refused(`{"a":[1,2],"b":{${many(9_001, () => '"x":0')}}}`), why)
  assert.is(refused(`{"a":[${many(4_000, () => '0')}],"b":[${many(4_000, () => '0')}]}`), 'read')
})

test('different names are counted, the same name is not', () => {
  const why = '413 Request entity too large: it has more than 500 different property names'
  assert.is(refused(`[${many(2000, () => '{"some":1,"few":2}')}]`), 'read')
  assert.is(refused(`[${many(2000, (n) => `{"n${n}" : 1}`)}]`), why)
})

test('commas and brackets inside strings are only text', () => {
  assert.is(refused(`{"csv":"${'a,[{\\",'.repeat(20_000)}"}`), 'read')
})

test('the depth is an option', () => {
  assert.is(refused(`${'['.repeat(20)}${']'.repeat(20)}`), 'read')
  assert.match(refused(`${'['.repeat(21)}${']'.repeat(21)}`), 'nested more than 20 levels deep')
})

/** JSON without integers that a double cannot hold: those are read exactly, and not as the native parser does. */
const safeJson = fc.json({ maxDepth: 8 }).filter((text) => !/\d{16}/.test(text))

test('what is within limits is read as the native parser reads it', () => {
  const limit = { depth: 1000, values: Infinity, keys: Infinity, items: Infinity }
  fc.assert(
    fc.property(safeJson, fc.boolean(), (text, spaced) => {
      const given = spaced ? JSON.stringify(JSON.parse(text), undefined, 2) : text
      assert.equal(decodeJson(given, limit).value, JSON.parse(given))
    }),
  )
})

test('a long YAML text is read in a thread, with the same result and the same errors', async () => {
  const lines = many(1000, (n) => `  key${n}: "${n}"`).replaceAll(',', '\n')
  const text = `data:\n${lines}\nbig: 9007199254740993\n`
  const { value, duplicates } = await decodeYaml(`${text}big: 9007199254740993\n`)
  const read = value as { data: Record<string, string>; big: bigint }
  assert.is(read.data.key999, '999')
  assert.is(read.big, 9007199254740993n)
  assert.equal(duplicates, ['line 1003: key "big" already set in map'])
  const error = await assertRejects(decodeYaml(`${text}- a\n`), 'BadRequest')
  assert.match(error.message, /error decoding YAML: line 100\d, column/)
})

test('aliases cannot make a long YAML text larger than the limits', async () => {
  const text = `a: &a [${many(3000, () => 'x')}]\n${many(50, (n) => `b${n}: *a`).replaceAll(',b', '\nb')}`
  await assertRejects(decodeYaml(text), 'BadRequest')
})

test.run()
