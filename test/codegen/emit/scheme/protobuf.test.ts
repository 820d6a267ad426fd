import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { modelOf } from '../../../../codegen/emit/model/create-model.ts'
import { messageOf, protobufModules } from '../../../../codegen/emit/scheme/protobuf.ts'
import type { Field, NamedType, ScalarType } from '../../../../codegen/schema/named-type.ts'
import { apiOf, closedEnum, field, ref, specifiers, string, struct } from '../../../support/ir.ts'

const tests = suite('codegen/emit: protobuf')

/** The lines between the braces of the spec's table. */
function table(spec: readonly Field[], more: readonly NamedType[] = []): readonly string[] {
  const text = textOf(spec, more)
  const [, body = ''] = /'demo\/v1\.WidgetSpec': \[\n(.*?)\n {2}\],/s.exec(text) ?? []
  return body.split('\n').map((line) => line.trim())
}

function textOf(spec: readonly Field[], more: readonly NamedType[] = []): string {
  const [module] = protobufModules(numbered(spec, more), specifiers)
  return module?.is === 'text' ? module.text : ''
}

/** The api with numbers on the fields that the support gives none. */
function numbered(spec: readonly Field[], more: readonly NamedType[] = []) {
  const api = apiOf(spec, more)
  const types = api.types.map((type) =>
    type.is === 'struct' && (type.root || type.name === 'Meta')
      ? { ...type, fields: type.fields.map((one, index) => ({ ...one, proto: index + 1 })) }
      : type,
  )
  return modelOf({ ...api, types })
}

function scalar(name: string, form: ScalarType['scalar']): NamedType {
  const { at, ...base } = struct(name, [])
  return {
    id: base.id,
    name,
    package: base.package,
    group: base.group,
    version: base.version,
    description: '',
    at,
    is: 'scalar',
    scalar: form,
  }
}

const integer = { is: 'integer', format: 'int32', bounds: {} } as const

tests('fields stand in the order of their numbers', () => {
  const rows = table([field('b', string, { proto: 2 }), field('a', integer, { proto: 1 })])
  assert.equal(rows, ["[1, 'a', 'int32'],", "[2, 'b', 'string'],"])
})

tests('what absence means is in the shape', () => {
  const rows = table([
    field('omitted', string, { proto: 1 }),
    field('kept', string, { proto: 2, zero: 'keep' }),
    field('required', string, { proto: 3, required: true, zero: 'tracked' }),
    field('tracked', string, { proto: 4, zero: 'tracked' }),
    field('pointer', string, { proto: 5, zero: 'tracked', required: true, pointer: true }),
  ])
  assert.equal(rows, [
    "[1, 'omitted', 'string'],",
    "[2, 'kept', 'string', 'kept'],",
    "[3, 'required', 'string', 'kept'],",
    "[4, 'tracked', 'string', 'tracked'],",
    "[5, 'pointer', 'string', 'tracked'],",
  ])
})

tests('lists and maps say whether they are required; a list inside of one is a message', () => {
  const list = { is: 'list', items: string } as const
  const rows = table([
    field('list', list, { proto: 1 }),
    field('asked', list, { proto: 2, required: true }),
    field('map', { is: 'map', values: integer }, { proto: 3 }),
    field('lists', { is: 'map', values: list }, { proto: 4 }),
    field('whole', list, { proto: 5, protoMessage: true }),
  ])
  assert.equal(rows, [
    "[1, 'list', 'string', 'list'],",
    "[2, 'asked', 'string', 'required list'],",
    "[3, 'map', 'int32', 'map'],",
    "[4, 'lists', 'strings', 'map'],",
    "[5, 'whole', 'strings', 'tracked'],",
  ])
})

tests('text forms have names of their own, enums are strings, bytes are bytes', () => {
  const rows = table(
    [
      field('when', ref('When'), { proto: 1, zero: 'keep' }),
      field('color', ref('Color'), { proto: 2 }),
      field('data', { is: 'string', format: 'byte', bounds: {} }, { proto: 3 }),
      field('any', ref('Raw'), { proto: 4, zero: 'tracked' }),
    ],
    [scalar('When', 'time'), scalar('Raw', 'raw-extension'), closedEnum('Color', ['Red'])],
  )
  assert.equal(rows, [
    "[1, 'when', 'time', 'kept'],",
    "[2, 'color', 'string'],",
    "[3, 'data', 'bytes'],",
    "[4, 'any', 'json', 'tracked'],",
  ])
})

tests('an inlined struct is a message without a name', () => {
  const inline = { name: 'source', proto: 2, type: 'demo/v1.Source' }
  const rows = table(
    [field('name', string, { proto: 1 }), field('path', string, { proto: 1, inline })],
    [struct('Source', [field('path', string, { proto: 1 })])],
  )
  assert.equal(rows, ["[1, 'name', 'string'],", "[2, '', 'demo/v1.Source', 'inline'],"])
})

tests('kinds are found by their apiVersion and name', () => {
  const text = textOf([field('a', string, { proto: 1 })])
  assert.match(text, "'demo.example.com/v1/Widget': 'demo/v1.Widget',")
})

tests('a kind has a message only if all of its fields have numbers', () => {
  // M-01
  const whole = numbered([field('a', string, { proto: 1 })])
  assert.is(messageOf(whole.kinds[0]!, whole), 'demo/v1.Widget')
  const partly = numbered([field('a', string, { proto: 1 }), field('b', string)])
  assert.is(messageOf(partly.kinds[0]!, partly), undefined)
})

tests.run()
