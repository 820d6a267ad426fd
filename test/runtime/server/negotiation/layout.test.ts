import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Item } from '../../../../runtime/registry/registry.ts'
import { warningHeaders } from '../../../../runtime/server/http/warning-header.ts'
import { applyLayout, indent } from '../../../../runtime/server/negotiation/layout.ts'
import { joinListBody, ListTextCache } from '../../../../runtime/server/negotiation/list-text.ts'

const test = suite('runtime/server: texts')

test('indenting gives what JSON.stringify gives', () => {
  const value = { a: [], b: {}, c: [1, [2], { d: 'x,{"[\\' }], e: null, f: 'a:b', 'g"': [{}, []] }
  assert.is(indent(JSON.stringify(value)), JSON.stringify(value, null, 2))
})

test('indenting keeps every digit of a number', () => {
  assert.is(indent('{"a":9223372036854775807}'), '{\n  "a": 9223372036854775807\n}')
})

// M-17, R-13
test('YAML sorts keys, does not indent lists, and quotes what would read as something else', async () => {
  const json = '{"kind":"X","b":["yes","1"],"a":{"z":9223372036854775807,"t":"on"}}'
  const text = Buffer.from(await applyLayout(json, { format: 'yaml', pretty: false })).toString()
  assert.is(text, 'a:\n  t: "on"\n  z: 9223372036854775807\nb:\n- "yes"\n- "1"\nkind: X\n')
})

function itemOf(text: string): Item {
  return { bytes: Buffer.from(text), object: () => JSON.parse(text) }
}

const prefix = '{"kind":"Pod","apiVersion":"v1",'

// L-01
test('a list joins stored bytes without kind and apiVersion', async () => {
  const items = ['a', 'b', 'c'].map((name) => itemOf(`${prefix}"metadata":{"name":"${name}"}}`))
  const body = await joinListBody('{"items":[', { items }, prefix, ']}\n', new ListTextCache())
  assert.instance(body, Uint8Array)
  assert.is(
    Buffer.from(body as Uint8Array).toString(),
    '{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"}}]}\n',
  )
})

test('an empty list has no items', async () => {
  const body = await joinListBody('{"items":[', { items: [] }, prefix, ']}', new ListTextCache())
  assert.is(Buffer.from(body as Uint8Array).toString(), '{"items":[]}')
})

test('a long list comes in pieces of the promised length', async () => {
  const text = `${prefix}"data":"${'x'.repeat(10_000)}"}`
  const items = Array(400).fill(itemOf(text))
  const body = await joinListBody('{"items":[', { items }, prefix, ']}', new ListTextCache())
  assert.not(body instanceof Uint8Array)
  if (body instanceof Uint8Array) return
  const pieces = [...body.segments()]
  const whole = Buffer.concat(pieces)
  assert.ok(pieces.length > 2)
  assert.is(whole.length, body.length)
  assert.is(JSON.parse(whole.toString()).items.length, 400)
})

test('the text of a run is made once while it is asked for', async () => {
  let looks = 0
  const counted: Item = {
    get bytes() {
      looks++
      return Buffer.from(`${prefix}"a":1}`)
    },
    object: () => ({}) as never,
  }
  const [run, other] = [[counted], [itemOf('{"b":2}')]]
  const texts = new ListTextCache()
  const list = () =>
    joinListBody('[', { items: [...run, ...other], runs: [run, other] }, prefix, ']', texts)
  assert.is(Buffer.from((await list()) as Uint8Array).toString(), '[{"a":1},{"b":2}]')
  const before = looks
  assert.is(Buffer.from((await list()) as Uint8Array).toString(), '[{"a":1},{"b":2}]')
  assert.is(looks, before)
})

// F-08
test('a warning escapes quotes and backslashes and stands once', () => {
  assert.equal(warningHeaders(['unknown field "a\\b"', 'unknown field "a\\b"', 'x\r\ny']), [
    '299 - "unknown field \\"a\\\\b\\""',
    '299 - "x??y"',
  ])
})

test('warnings beyond 4096 characters are cut at 256', () => {
  const headers = warningHeaders(['a'.repeat(4000), 'b'.repeat(400)])
  assert.equal(
    headers.map((one) => one.length),
    [256 + 8, 256 + 8],
  )
})

test.run()
