import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareKeys, type Entry } from '../../../runtime/store/store.ts'
import {
  count,
  createBTree,
  emptyBTree,
  find,
  put,
  rank,
  remove,
  runs,
  sizeOf,
  slice,
} from '../../../runtime/watch/btree.ts'

const tree = suite('runtime/watch: tree')
const entry = (key: string, revision = 1): Entry => ({
  key,
  revision,
  createRevision: 1,
  value: new Uint8Array(),
})
const name = (index: number) => `/k/${String(index).padStart(5, '0')}`
const keysOf = (entries: readonly Entry[]) => entries.map((it) => it.key)

tree('a loaded tree and one grown in any order hold the same', () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => name((index * 7919) % 10_000))
  const sorted = keys.toSorted(compareKeys)
  const grown = keys.reduce((grown, key) => put(grown, entry(key)), emptyBTree)
  const loaded = createBTree(sorted.map((key) => entry(key)))
  assert.equal(keysOf(slice(grown, '')), sorted)
  assert.equal(keysOf(slice(loaded, '')), sorted)
  assert.equal([sizeOf(grown), sizeOf(loaded)], [10_000, 10_000])
  assert.is(rank(grown, name(4321)), 4321)
  assert.equal(keysOf(slice(loaded, '/k/04', '/k/04998', 5)), ['/k/04999'])
  assert.is(count(grown, '/k/04', '/k/04100'), 899)
})

tree('runs are the same arrays while nothing in them changes', () => {
  const before = createBTree(Array.from({ length: 1000 }, (_, index) => entry(name(index))))
  const known = new Set(runs(before, '/k/'))
  assert.is([...known].flat().length, 1000)
  const after = runs(put(before, entry(name(500), 2)), '/k/')
  assert.is(after.filter((run) => !known.has(run)).length, 1)
  const page = runs(before, '/k/', name(10), 200)
  assert.is(page.flat().length, 200)
  assert.is(page.filter((run) => !known.has(run)).length, 2, 'the first and the last are cut')
})

tree(
  'an entry in the place of another leaves the keys of branches as they are, and takes no new text of them',
  () => {
    const before = createBTree(Array.from({ length: 1000 }, (_, index) => entry(name(index))))
    const after = put(before, entry(name(0), 2))
    assert.ok('firsts' in before && 'firsts' in after)
    assert.is(after.firsts, before.firsts)
    assert.is(sizeOf(after), 1000)
    const grown = put(after, entry('/k/'))
    assert.ok('firsts' in grown)
    assert.is(grown.firsts[0], '/k/')
    assert.is(sizeOf(grown), 1001)
  },
)

tree('a tree that a change was made from stays as it was', () => {
  const before = createBTree(Array.from({ length: 1000 }, (_, index) => entry(name(index))))
  const after = put(remove(before, name(500)), entry(name(501), 2))
  assert.equal([sizeOf(before), sizeOf(after)], [1000, 999])
  assert.is(find(before, name(500))?.revision, 1)
  assert.is(find(before, name(501))?.revision, 1)
  assert.is(find(after, name(500)), undefined)
  assert.is(find(after, name(501))?.revision, 2)
})

tree('a tree that lost everything is empty and grows again', () => {
  const keys = Array.from({ length: 5000 }, (_, index) => name((index * 4001) % 5000))
  const full = createBTree(keys.toSorted(compareKeys).map((key) => entry(key)))
  const empty = keys.reduce((rest, key) => remove(rest, key), full)
  assert.equal([sizeOf(empty), slice(empty, '')], [0, []])
  assert.equal(keysOf(slice(put(empty, entry('/a')), '')), ['/a'])
})

tree('any changes give what a sorted map gives', () => {
  const step = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.boolean())
  fc.assert(
    fc.property(fc.array(step, { minLength: 200, maxLength: 1500 }), (steps) => {
      const model = new Set<string>()
      let current = emptyBTree
      for (const [index, adds] of steps) {
        const key = name(index)
        current = adds ? put(current, entry(key)) : remove(current, key)
        if (adds) model.add(key)
        else model.delete(key)
      }
      const sorted = [...model].sort(compareKeys)
      assert.equal(keysOf(slice(current, '')), sorted)
      for (const key of [name(0), name(200), name(399)]) {
        const greater = sorted.filter((it) => it > key)
        assert.equal(keysOf(slice(current, '/k/', key, 10)), greater.slice(0, 10))
        assert.is(count(current, '/k/', key), greater.length)
        assert.is(rank(current, key), sorted.filter((it) => it < key).length)
      }
    }),
    { numRuns: 40 },
  )
})

tree.run()
