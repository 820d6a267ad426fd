import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AnyKind, GatedFields } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import {
  dropDisabledFields,
  isDropped,
} from '../../../../runtime/registry/strategy/drop-disabled-fields.ts'
import { configMaps } from '../../../support/registry.ts'

const test = suite('runtime/registry/strategy/drop-disabled-fields')

/** A tree of parts that hold parts; `new` is gated everywhere. */
const part: GatedFields = {
  fields: {
    new: { gate: 'New' },
    deep: { gate: 'Deep', value: () => part },
    one: { value: () => part },
    many: { items: () => part },
    rows: { items: () => ({ items: () => part }) },
  },
}
const kind: AnyKind = { ...configMaps, gatedFields: { fields: { spec: { value: () => part } } } }
const deep = new Set(['Deep'])

const specAfter = (spec: object, old?: object, gates: ReadonlySet<string> = deep) => {
  const of = (one: object) => ({ metadata: {}, spec: one }) as unknown as ApiObject
  const { object, dropped } = dropDisabledFields(gates, kind, of(spec), old && of(old))
  return { spec: (object as ApiObject & { readonly spec: unknown }).spec, dropped }
}

const cases: readonly (readonly [string, object, object | undefined, object, readonly string[]])[] =
  [
    ['a field', { new: 1, kept: 2 }, undefined, { kept: 2 }, ['spec.new']],
    ['a field of a part', { one: { new: 1 } }, undefined, { one: {} }, ['spec.one.new']],
    [
      'a field of an item',
      { many: [{ a: 1 }, { new: 1, a: 2 }] },
      undefined,
      { many: [{ a: 1 }, { a: 2 }] },
      ['spec.many[1].new'],
    ],
    [
      'a field of a value of a map',
      { many: { x: { new: 1 }, __proto: { a: 1 } } },
      undefined,
      { many: { x: {}, __proto: { a: 1 } } },
      ['spec.many[x].new'],
    ],
    [
      'a field in a list of lists',
      { rows: [[{ new: 1 }], []] },
      undefined,
      { rows: [[{}], []] },
      ['spec.rows[0][0].new'],
    ],
    ['what the stored object has', { new: 2 }, { new: 1 }, { new: 2 }, []],
    [
      'what another item of the stored list has',
      { many: [{ new: 1 }, { new: 2 }] },
      { many: [{ new: 0 }] },
      { many: [{ new: 1 }, { new: 2 }] },
      [],
    ],
    [
      'what the stored object has elsewhere only',
      { one: { new: 1 } },
      { new: 1 },
      { one: {} },
      ['spec.one.new'],
    ],
    ['a value that is no object', { one: 7, many: 'x' }, undefined, { one: 7, many: 'x' }, []],
  ]

test('what a gate that is off switches is dropped, unless the stored object has it', () => {
  for (const [name, spec, old, want, dropped] of cases) {
    assert.equal(specAfter(spec, old), { spec: want, dropped }, name)
  }
})

test('below a field whose gate is off nothing is looked at', () => {
  const { dropped } = specAfter({ deep: { new: 1 } }, undefined, new Set())
  assert.equal(dropped, ['spec.deep'])
})

test('nothing is copied or walked where every gate is on', () => {
  const spec = { new: 1, many: [{ new: 1 }] }
  assert.is(specAfter(spec, undefined, new Set(['New', 'Deep'])).spec, spec)
  const object = { metadata: {} } as ApiObject
  assert.is(dropDisabledFields(new Set(), configMaps, object).object, object)
})

test('a finding below a dropped field goes with it, one beside it stays', () => {
  const gating = { object: { metadata: {} } as ApiObject, dropped: ['spec.a', 'spec.l[0].b'] }
  const paths = ['spec.a', 'spec.a.x', 'spec.a[0]', 'spec.ab', 'spec.l[0].b.c', 'spec.l[1].b']
  assert.equal(
    paths.filter((path) => isDropped(gating, path)),
    ['spec.a', 'spec.a.x', 'spec.a[0]', 'spec.l[0].b.c'],
  )
})

test.run()
