import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { modelOf } from '../../../../codegen/emit/model/create-model.ts'
import { fieldTypesModule } from '../../../../codegen/emit/scheme/field-types.ts'
import type { Field, NamedType } from '../../../../codegen/schema/named-type.ts'
import { apiOf, closedEnum, field, ref, specifiers, string, struct } from '../../../support/ir.ts'

const tests = suite('codegen/emit: types of fields')

/** The rows of the spec's struct. */
function rows(spec: readonly Field[], more: readonly NamedType[] = []): readonly string[] {
  const [module] = fieldTypesModule(modelOf(apiOf(spec, more)), specifiers)
  const [, body = ''] = /'demo\/v1\.WidgetSpec': \{\n(.*?)\n {4}\},/s.exec(module?.text ?? '') ?? []
  return body.split('\n').map((line) => line.trim())
}

tests('a field has the type of its values, lists and maps that of theirs', () => {
  const fields = [
    field('size', { is: 'integer', format: 'int32', bounds: {} }),
    field('share', { is: 'number', bounds: {} }),
    field('names', { is: 'list', items: string }),
    field('pages', { is: 'map', values: { is: 'list', items: ref('Page') } }),
    field('data', { is: 'string', format: 'byte', bounds: {} }),
    field('mode', ref('Mode')),
  ]
  assert.equal(rows(fields, [struct('Page', []), closedEnum('Mode', ['A'])]), [
    "size: 'int32',",
    "share: 'float64',",
    "names: '[]string',",
    "pages: 'map[string][]demo/v1.Page',",
    "data: 'bytes',",
    "mode: 'demo/v1.Mode',",
  ])
})

tests('a field whose type is called otherwise says so', () => {
  assert.equal(rows([field('uid', string, { typeName: 'types.UID' })]), [
    "uid: ['string', 'types.UID'],",
  ])
})

tests('a kind leads to its struct', () => {
  const [module] = fieldTypesModule(modelOf(apiOf([])), specifiers)
  assert.match(module?.text ?? '', "'demo.example.com/v1/Widget': 'demo/v1.Widget',")
})

tests.run()
