import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { joinListBody, ListTextCache } from '../../../../runtime/serializer/json/list-text.ts'
import type { StoredItem } from '../../../../runtime/serializer/serializer.ts'

const test = suite('runtime/serializer/json: lists')

function itemOf(text: string): StoredItem {
  return { bytes: Buffer.from(text) }
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

test('the text of a run is made once while it is in use', async () => {
  let looks = 0
  const counted: StoredItem = {
    get bytes() {
      looks++
      return Buffer.from(`${prefix}"a":1}`)
    },
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

test.run()
