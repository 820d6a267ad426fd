import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { GenerationalCache } from '../../../../runtime/serializer/format/generational-cache.ts'

const tests = suite('runtime/serializer: cache in two generations')

function counting(bytes: number) {
  const made: string[] = []
  const recent = new GenerationalCache(
    bytes,
    () => 10,
    (key: { readonly name: string }) => made.push(key.name),
  )
  return { recent, made }
}

tests('a value is made once while it is in use', () => {
  const { recent, made } = counting(100)
  const key = { name: 'a' }
  assert.is(recent.get(key), recent.get(key))
  assert.equal(made, ['a'])
})

tests('a value that is used in every generation stays, others are dropped', () => {
  const { recent, made } = counting(40)
  const kept = { name: 'kept' }
  const once = { name: 'once' }
  recent.get(once)
  for (let at = 0; at < 5; at++) {
    recent.get(kept)
    recent.get({ name: 'other' })
  }
  recent.get(once)
  assert.is(made.filter((name) => name === 'kept').length, 1)
  assert.is(made.filter((name) => name === 'once').length, 2)
})

tests.run()
