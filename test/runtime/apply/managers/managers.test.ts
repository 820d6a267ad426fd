/** The records of managed fields: read, written, capped, and kept in step with the schema. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  ancientChanges,
  capManagers,
  type Manager,
  managersOf,
  maxWriters,
  printFields,
  readFieldsV1,
  readManagers,
  recordsOf,
  setOfFields,
} from '../../../../runtime/apply/apply.ts'

const managers = suite('runtime/apply: managers')

function writer(manager: string, time: string, apiVersion = 'v1'): Manager {
  return { manager, operation: 'Update', apiVersion, time, fields: setOfFields([manager]) }
}

managers(
  'a record says who, how, in which version, when, what and where (A-03, A2.29 to A2.34)',
  () => {
    const [record] = recordsOf([{ ...writer('a', '2024-01-01T00:00:00Z'), subresource: 'status' }])
    assert.is(
      JSON.stringify(record),
      '{"manager":"a","operation":"Update","apiVersion":"v1","time":"2024-01-01T00:00:00Z",' +
        '"fieldsType":"FieldsV1","fieldsV1":{"f:a":{}},"subresource":"status"}',
    )
  },
)

managers('appliers stand before writers, then the oldest first, then by name (A-05)', () => {
  const all: Manager[] = [
    writer('z', '2024'),
    writer('b', '2025'),
    writer('a', '2025'),
    { ...writer('c', '2026'), operation: 'Apply' },
    writer('a', '2025', 'apps/v1'),
  ]
  const names = recordsOf(all).map(({ manager, apiVersion }) => `${manager} ${apiVersion}`)
  assert.equal(names, ['c v1', 'z v1', 'a apps/v1', 'a v1', 'b v1'])
})

managers('records are read as they were written, and not at all if one is wrong', () => {
  const records = recordsOf([writer('a', '2024'), { ...writer('b', '2024'), operation: 'Apply' }])
  assert.equal(recordsOf(readManagers(JSON.parse(JSON.stringify(records))) ?? []), records)
  const good = records[0]!
  const wrong = [
    { ...good, operation: 'Delete' },
    { ...good, apiVersion: '' },
    { ...good, fieldsType: 'FieldsV2' },
    { ...good, fieldsType: undefined },
    { ...good, fieldsV1: { a: {} } },
    { ...good, fieldsV1: { 'k:{': {} } },
    { ...good, fieldsV1: { 'f:a': 1 } },
    { ...good, fieldsV1: { '.': {} } },
  ]
  for (const record of wrong)
    assert.is(readManagers([good, record]), undefined, JSON.stringify(record))
  assert.is(readManagers('x'), undefined)
  assert.equal(readManagers(undefined), [])
})

managers('keys, values and positions are read in any spelling and written in one (A-06)', () => {
  const text =
    '{"v:3":{},"v:\\"b\\"":{},"v:true":{},"i:2":{},"k:{ \\"b\\":1, \\"a\\":\\"x\\" }":{".":{}},"f:z":{},"f:a":{".":{},"f:y":{}}}'
  assert.is(
    JSON.stringify(readFieldsV1(JSON.parse(text))),
    '{"f:a":{".":{},"f:y":{}},"f:z":{},"k:{\\"a\\":\\"x\\",\\"b\\":1}":{},"v:3":{},"v:\\"b\\"":{},"v:true":{},"i:2":{}}',
  )
})

managers('numbers in keys are ordered as numbers', () => {
  const read = readFieldsV1({ 'k:{"port":443}': {}, 'k:{"port":80}': {}, 'k:{"port":"x"}': {} })
  assert.equal(Object.keys(read ?? {}), ['k:{"port":80}', 'k:{"port":443}', 'k:{"port":"x"}'])
})

managers(
  'there are ten writers at most; the oldest are folded into one for each version (A-09, K-11)',
  () => {
    const many = Array.from({ length: 13 }, (_, n) => writer(`w${n + 10}`, `20${n + 10}`))
    const left = capManagers(many)
    assert.is(left.length, maxWriters)
    const ancient = left.find(({ manager }) => manager === ancientChanges)
    assert.equal(printFields(ancient!.fields), ['.w10', '.w11', '.w12', '.w13'])
    assert.is(ancient?.time, '2013')
    assert.is(capManagers(left), left)
    const two = capManagers([writer('old', '2001', 'v2'), ...many])
    assert.is(two.length, maxWriters)
    assert.ok(
      two.some(({ manager }) => manager === 'old'),
      'one writer of a version stays itself',
    )
    const appliers = many.map((one): Manager => ({ ...one, operation: 'Apply' }))
    assert.is(capManagers(appliers), appliers)
  },
)

managers('what is atomic today is managed whole by whoever had a part of it (A2.42)', () => {
  const record = {
    ...recordsOf([writer('a', '2024')])[0]!,
    fieldsV1: {
      'f:list': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} } },
      'f:map': { 'f:a': {} },
      'f:struct': { 'f:b': {} },
    },
  }
  const shapes = {
    before: { fields: { list: { list: 'map', keys: ['name'] } } },
    now: { fields: { map: { map: 'atomic' }, struct: { map: 'atomic' } } },
  } as const
  const fieldsIn = (shape: 'before' | 'now') =>
    printFields(managersOf([record], () => shapes[shape])[0]!.fields)
  assert.equal(fieldsIn('before'), [
    '.list[name="x"]',
    '.list[name="x"].name',
    '.map.a',
    '.struct.b',
  ])
  assert.equal(fieldsIn('now'), ['.list', '.map', '.struct'])
})

managers.run()
