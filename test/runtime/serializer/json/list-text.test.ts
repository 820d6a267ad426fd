import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { joinListBody, ListTextCache } from '../../../../runtime/serializer/json/list-text.ts'
import type { StoredItem, StoredValue } from '../../../../runtime/serializer/serializer.ts'

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
  if (body instanceof Uint8Array || body.length === undefined) return
  const pieces = [...body.segments()]
  const whole = Buffer.concat(pieces)
  assert.ok(pieces.length > 2)
  assert.is(whole.length, body.length)
  assert.is(JSON.parse(whole.toString()).items.length, 400)
})

/** Objects of one run, which count how often their bytes are asked for. */
function countedRun(length: number, text: string): { run: StoredValue[]; looks: () => number } {
  let looks = 0
  const counted: StoredValue = {
    revision: 7,
    get value() {
      looks++
      return Buffer.from(`${prefix}"metadata":{"name":"a","uid":"u"},"a":"${text}"}`)
    },
  }
  return { run: Array(length).fill(counted), looks: () => looks }
}

async function textOf(run: readonly StoredValue[], texts: ListTextCache): Promise<string> {
  const body = await joinListBody('[', { items: [], runs: [run] }, prefix, ']', texts)
  if (body.length === undefined) throw new Error('the list is in memory')
  return Buffer.concat(body instanceof Uint8Array ? [body] : [...body.segments()]).toString()
}

test('the text of a run is made once while it is in use, with the versions of its objects', async () => {
  const { run, looks } = countedRun(1, 'b')
  const texts = new ListTextCache()
  const text = '[{"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"a":"b"}]'
  assert.is(await textOf(run, texts), text)
  const before = looks()
  assert.is(await textOf(run, texts), text)
  assert.is(looks(), before)
})

test('the texts of a list that would fill what is kept are made anew', async () => {
  const { run, looks } = countedRun(10, 'x'.repeat(1000))
  const texts = new ListTextCache(4000)
  await textOf(run, texts)
  const before = looks()
  await textOf(run, texts)
  assert.is(looks(), before + 10)
})

test.run()
