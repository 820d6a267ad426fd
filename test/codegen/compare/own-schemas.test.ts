import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compare } from '../../../codegen/compare/compare.ts'
import type { Api } from '../../../codegen/schema/ir.ts'
import type { NamedType, StructType, Type } from '../../../codegen/schema/named-type.ts'
import { readApi } from '../../../codegen/schema/read.ts'
import { ownSources } from '../../support/definitions.ts'

const test = suite("codegen/compare: orch's own schemas")

/** As orch reads them itself: without the prefix that a user's root gives them. */
const sources = new Map([...ownSources].map(([file, text]) => [file.replace(/^orch:/, ''), text]))
const { api } = readApi(sources, () => '')
const types = new Map(api?.types.map((type) => [type.id, type]))
const reached = [...reachable(api)]

/** The structs that kinds of stable and beta versions are made of. */
function reachable(whole: Api | undefined): ReadonlySet<StructType> {
  const found = new Set<StructType>()
  const visit = (named: NamedType | undefined): void => {
    if (named?.is === 'union') for (const { type } of named.members) follow(type)
    if (named?.is !== 'struct' || found.has(named)) return
    found.add(named)
    for (const { type } of named.fields) follow(type)
  }
  const follow = (type: Type): void => {
    if (type.is === 'ref') visit(types.get(type.to))
    else if (type.is === 'list') follow(type.items)
    else if (type.is === 'map') follow(type.values)
  }
  for (const kind of whole?.kinds ?? []) {
    if (!kind.version.includes('alpha')) visit(types.get(kind.type))
  }
  return found
}

/** The whole with one struct replaced. */
function withStruct(whole: Api, struct: StructType): Api {
  return { ...whole, types: whole.types.map((type) => (type.id === struct.id ? struct : type)) }
}

const someField = fc
  .constantFrom(...reached.filter(({ fields }) => fields.length > 0))
  .chain((struct) => fc.constantFrom(...struct.fields).map((field) => ({ struct, field })))

// A9.7
test('no field can go unseen, wherever it is', () => {
  assert.ok(api !== undefined && reached.length > 400)
  fc.assert(
    fc.property(someField, ({ struct, field }) => {
      const fields = struct.fields.filter((each) => each !== field)
      const breaches = compare({ before: api, after: withStruct(api, { ...struct, fields }) })
      const gone = breaches.filter(({ message }) => message.endsWith(`${field.name} is gone`))
      assert.ok(gone.length > 0, `${struct.id} ${field.name}`)
      assert.equal(gone[0]?.before, field.at)
    }),
    { numRuns: 60 },
  )
})

// A9.7
test('no field can be renamed or change its default unseen, and any may come', () => {
  assert.ok(api !== undefined)
  fc.assert(
    fc.property(someField, ({ struct, field }) => {
      const change = (name: string, value: unknown): Api => {
        const one = { ...field, name, default: value }
        return withStruct(api, {
          ...struct,
          fields: struct.fields.map((each) => (each === field ? one : each)),
        })
      }
      assert.ok(compare({ before: api, after: change(`${field.name}2`, undefined) }).length > 0)
      assert.ok(compare({ before: api, after: change(field.name, 'another') }).length > 0)
      const added = { ...field, name: 'somethingNew', required: false }
      const more = withStruct(api, { ...struct, fields: [...struct.fields, added] })
      const rules = compare({ before: api, after: more }).map(({ rule }) => rule)
      assert.equal(
        rules.filter((rule) => rule !== 'rule-2'),
        [],
      )
    }),
    { numRuns: 30 },
  )
})

test.run()
