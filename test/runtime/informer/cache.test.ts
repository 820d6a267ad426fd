import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createCache, formatKey, parseKey } from '../../../runtime/informer/informer.ts'
import type { ApiObject, Stored } from '../../../runtime/kernel/meta/object.ts'

interface Part extends ApiObject {
  readonly colours: readonly string[]
}

const test = suite('runtime/informer: cache')
const never = new AbortController().signal
const kind = {} as never

function part(name: string, uid: string, ...colours: string[]): Stored<Part> {
  const metadata = { name, namespace: 'a', uid, resourceVersion: '1', creationTimestamp: '' }
  return { apiVersion: 'v1', kind: 'Part', metadata, colours }
}

function open() {
  return createCache<Part>({ colour: ({ colours }) => colours })
}

test('an object is found under every value of its index', () => {
  const cache = open()
  cache.set(part('x', '1', 'red', 'blue'))
  cache.set(part('y', '2', 'red'))
  assert.equal(
    cache.index('colour', 'red').map(({ metadata }) => metadata.name),
    ['x', 'y'],
  )
  assert.is(cache.index('colour', 'green').length, 0)
})

test('an index follows changes and removals', () => {
  const cache = open()
  cache.set(part('x', '1', 'red'))
  cache.set(part('x', '1', 'blue'))
  assert.is(cache.index('colour', 'red').length, 0)
  cache.remove(part('x', '1'))
  assert.is(cache.index('colour', 'blue').length, 0)
  assert.is(cache.size, 0)
})

test('a list may be of one namespace', () => {
  const cache = open()
  cache.set(part('x', '1'))
  assert.is(cache.list('a').length, 1)
  assert.is(cache.list('b').length, 0)
})

test('a write is waited for until its revision is reached', async () => {
  const cache = open()
  const write = { kind, namespace: 'a', name: 'x', uid: '1', resourceVersion: '10' }
  let shown = false
  const waited = cache.waitForWrite(write, never).then(() => {
    shown = true
  })
  cache.advance('9')
  await Promise.resolve()
  assert.is(shown, false)
  cache.advance('10')
  await waited
})

test('a deletion is waited for until the object is gone or leaving', async () => {
  const cache = open()
  cache.set(part('x', '1'))
  const write = { kind, namespace: 'a', name: 'x', uid: '1', resourceVersion: undefined }
  const waited = cache.waitForWrite(write, never)
  cache.remove(part('x', '1'))
  cache.advance('2')
  await waited
  cache.set(part('x', '2'))
  await cache.waitForWrite(write, never)
})

test('waiting ends with its signal', async () => {
  const stop = new AbortController()
  const write = { kind, namespace: 'a', name: 'x', uid: '1', resourceVersion: '10' }
  const waited = open().waitForWrite(write, stop.signal)
  stop.abort()
  await waited
})

test('a key survives its text', () => {
  for (const key of [{ name: 'x' }, { namespace: 'a', name: 'x' }]) {
    assert.equal(parseKey(formatKey(key)), key)
  }
})

test.run()
