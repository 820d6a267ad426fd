/** The laws in the front door of the room, over values of a type in which every way of merging stands. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  compare,
  difference,
  everyField,
  type FieldSet,
  intersection,
  isEmpty,
  isSame,
  mergeConfig,
  noFields,
  readFieldsV1,
  sameFields,
  statedFields,
  union,
  without,
} from '../../../runtime/apply/apply.ts'
import { deepEqual } from '../../../runtime/kernel/values/deep-equal.ts'
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import { apply, empty, managed, type Scene, shape, valueArbitrary, write } from './shapes.ts'

const laws = suite('runtime/apply: laws')

const value = valueArbitrary()
const setArbitrary = fc
  .tuple(value, fc.boolean())
  .map(([one, every]) => (every ? rooted(everyField(one, shape)) : stated(one)))

function stated(one: Json): FieldSet {
  return statedFields(one, shape, [])
}

/** A set without the field that a whole value is to its parent. */
function rooted({ '.': _, ...set }: FieldSet): FieldSet {
  return set
}

function holds<T extends unknown[]>(
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  check: (...values: T) => void,
): void {
  fc.assert(fc.property(...(arbitraries as [fc.Arbitrary<unknown>]), check as () => void), {
    numRuns: 300,
  })
}

laws('reading what was written gives the set, writing it the same bytes (A-06, A2.33)', () => {
  holds<[FieldSet]>([setArbitrary], (set) => {
    const text = JSON.stringify(set)
    const read = readFieldsV1(JSON.parse(text))
    assert.ok(read !== undefined && sameFields(read, set))
    assert.is(JSON.stringify(read), text)
    assert.is(JSON.stringify(readFieldsV1(shuffled(JSON.parse(text)))), text)
  })
})

function shuffled(set: FieldSet): FieldSet {
  const entries = Object.entries(set).reverse()
  return Object.fromEntries(entries.map(([element, below]) => [element, shuffled(below)]))
}

laws('union and intersection are commutative, associative and idempotent', () => {
  holds<[FieldSet, FieldSet, FieldSet]>([setArbitrary, setArbitrary, setArbitrary], (a, b, c) => {
    for (const both of [union, intersection]) {
      same(both(a, b), both(b, a))
      same(both(a, both(b, c)), both(both(a, b), c))
      same(both(a, a), a)
    }
    same(union(a, intersection(a, b)), a)
    same(intersection(a, union(a, b)), a)
    same(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c)))
  })
})

laws('a difference and what it leaves out make the whole', () => {
  holds<[FieldSet, FieldSet]>([setArbitrary, setArbitrary], (a, b) => {
    same(union(difference(a, b), intersection(a, b)), a)
    assert.ok(isEmpty(intersection(difference(a, b), b)))
    same(difference(difference(a, b), b), difference(a, b))
    same(without(without(a, b), b), without(a, b))
    same(difference(a, noFields), a)
    assert.ok(isEmpty(difference(a, a)))
    assert.is(difference(a, difference(b, a)), a, 'what loses nothing stays itself')
    assert.is(union(a, intersection(a, b)), a, 'what gains nothing stays itself')
  })
})

function same(a: FieldSet, b: FieldSet): void {
  assert.is(JSON.stringify(a), JSON.stringify(b))
}

laws('a value does not differ from itself, and merged with itself it is itself', () => {
  holds<[JsonObject]>([value], (one) => {
    const copy = structuredClone(one) as JsonObject
    assert.ok(isSame(compare(one, copy, shape)))
    assert.is(mergeConfig(one, copy, shape), one)
  })
})

laws('what differs leads from the fields of one value to those of the other', () => {
  holds<[JsonObject, JsonObject]>([value, value], (a, b) => {
    const { added, removed, modified } = compare(a, b, shape)
    const [fields, wanted] = [a, b].map((one) => rooted(everyField(one, shape)))
    same(union(difference(fields!, removed), added), wanted!)
    assert.ok(isEmpty(intersection(modified, union(added, removed))))
    const back = compare(b, a, shape)
    same(back.added, removed)
    same(back.removed, added)
    same(back.modified, modified)
  })
})

laws('a merge holds everything that the configuration states, and nothing is lost', () => {
  holds<[JsonObject, JsonObject]>([value, value], (live, config) => {
    const merged = mergeConfig(live, config, shape) as JsonObject
    const { modified, removed } = compare(live, merged, shape)
    assert.ok(isEmpty(removed))
    assert.ok(isEmpty(difference(modified, stated(config))))
    assert.ok(
      deepEqual(mergeConfig(merged, config, shape), merged),
      'merging twice is merging once',
    )
  })
})

laws('null takes the place of what has no parts, and only of that', () => {
  assert.equal(mergeConfig({}, { count: null, deep: null }, shape), { count: null, deep: null })
  assert.equal(mergeConfig({ deep: {} }, { deep: null }, shape), { deep: null })
  const live = { deep: { est: 1 } }
  assert.is(mergeConfig(live, { deep: null }, shape), live)
})

laws('the same apply a second time changes nothing, not even a time (A-11)', () => {
  holds<[JsonObject, JsonObject]>([value, value], (live, config) => {
    const scene = write(empty, 'bob', live)
    const once = apply(scene, 'ann', config, { force: true })
    const twice = apply(once, 'ann', structuredClone(config) as JsonObject, {
      now: '2025-01-01T00:00:00Z',
    })
    assert.is(twice.object, once.object)
    assert.is(twice.managers, once.managers)
  })
})

laws('appliers of disjoint configurations may come in any order', () => {
  const disjoint = fc.tuple(valueArbitrary('x'), valueArbitrary('y')).map(([a, b]) => {
    const rest = Object.entries(b).filter(([name]) => listed.has(name) || !Object.hasOwn(a, name))
    return [a, Object.fromEntries(rest)] as [JsonObject, JsonObject]
  })
  holds<[[JsonObject, JsonObject]]>([disjoint], ([a, b]) => {
    const scene: Scene = apply(empty, 'zoe', { seed: 1 })
    const one = apply(apply(scene, 'ann', a), 'bob', b)
    const other = apply(apply(scene, 'bob', b), 'ann', a)
    assert.equal(sorted(one.object), sorted(other.object))
    assert.equal(managed(one), managed(other))
  })
})

const listed = new Set(['items', 'tags', 'merged', 'names'])

/** The value with its keyed lists and sets in a fixed order. */
function sorted(object: JsonObject): unknown {
  const text = (item: unknown) => JSON.stringify(item)
  return Object.fromEntries(
    Object.entries(object)
      .map(([name, part]) => {
        if (!listed.has(name) || !Array.isArray(part)) return [name, part] as const
        return [name, [...part].sort((x, y) => (text(x) < text(y) ? -1 : 1))] as const
      })
      .sort(([x], [y]) => (x < y ? -1 : 1)),
  )
}

laws('an applier that states nothing any more leaves what others had', () => {
  holds<[JsonObject, JsonObject]>([value, value], (theirs, mine) => {
    const before = apply(empty, 'ann', theirs)
    const shared = apply(before, 'bob', mine, { force: true })
    const after = apply(shared, 'bob', {})
    const ann = shared.managers.find(({ manager }) => manager === 'ann')?.fields ?? noFields
    const now = after.managers.find(({ manager }) => manager === 'ann')?.fields ?? noFields
    same(now, ann)
    assert.not.ok(after.managers.some(({ manager }) => manager === 'bob'))
  })
})

laws('a write takes what it changes and leaves everybody else as they were', () => {
  holds<[JsonObject, JsonObject]>([value, value], (before, after) => {
    const scene = apply(empty, 'ann', before)
    const { managers } = write(scene, 'bob', after)
    const changed = compare(before, after, shape)
    const [ann, bob] = ['ann', 'bob'].map(
      (name) => managers.find(({ manager }) => manager === name)?.fields ?? noFields,
    )
    same(bob!, union(changed.modified, changed.added))
    same(ann!, difference(difference(stated(before), changed.modified), changed.removed))
    assert.is(write(scene, 'bob', structuredClone(before) as JsonObject).managers, scene.managers)
  })
})

laws.run()
