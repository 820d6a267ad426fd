import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tree } from '../../../generated/tree.ts'
import type { Kind } from '../../../runtime/kernel/kind.ts'
import { ableTree, behaviours, conversions } from '../../../runtime/kinds/kinds.ts'

const test = suite('runtime/kinds: behaviours')

const needs = (kind: Kind) => kind.needs ?? ''
const needing = Object.entries(tree.routes).filter(([, kind]) => kind.needs !== undefined)

test('a kind whose behaviour is not there is neither served nor published', async () => {
  const served = ableTree(tree)
  const missing = needing.filter(([, kind]) => !behaviours.has(needs(kind)))
  for (const [path] of missing) assert.is(served.routes[path], undefined, path)
  const paths = Object.values(await served.openapi()).flatMap((text) =>
    Object.keys((JSON.parse(text) as { paths: object }).paths),
  )
  for (const [path] of missing) {
    assert.not.ok(
      paths.some((each) => each.startsWith(`/${path}`)),
      path,
    )
  }
  const kept = Object.keys(tree.routes).length - missing.length
  assert.is(Object.keys(served.routes).length, kept)
})

test('a behaviour switches its kinds on, and no others', async () => {
  const served = ableTree(tree, new Set(['token-review']))
  const on = needing.map(([path]) => path).filter((path) => served.routes[path] !== undefined)
  assert.equal(on, ['apis/authentication.orch.io/v1/tokenreviews'])
  const documents = await served.openapi()
  const { paths } = JSON.parse(documents['apis/authentication.orch.io/v1'] ?? '{}') as {
    paths: object
  }
  assert.equal(
    Object.keys(paths).filter((path) => path.includes('review')),
    ['/apis/authentication.orch.io/v1/tokenreviews'],
  )
})

test('a tree without such kinds is left alone', () => {
  const plain = ableTree(tree)
  assert.is(ableTree(plain), plain)
})

test('every conversion by hand that a schema calls is there', () => {
  for (const { kind, storage } of Object.values(tree.routes)) {
    for (const step of storage?.conversion ?? []) {
      if (step.is === 'call') assert.ok(conversions.has(step.name), `${kind} calls ${step.name}`)
    }
  }
})

test.run()
