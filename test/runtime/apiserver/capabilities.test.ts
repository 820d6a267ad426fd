import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { conversions } from '../../../runtime/apis/apis.ts'
import { servableScheme } from '../../../runtime/apiserver/capabilities.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'

const test = suite('runtime/apis: behaviours')

/** The tree as it would be if two of its kinds needed something that no server has. */
const demanding: Scheme = {
  ...scheme,
  routes: {
    ...scheme.routes,
    ...needing('apps/v1', 'deployments'),
    ...needing('batch/v1', 'jobs'),
  },
}

function needing(version: string, plural: string): Scheme['routes'] {
  const path = `apis/${version}/${plural}`
  const kind = scheme.routes[path]
  assert.ok(kind, path)
  return { [path]: { ...kind, capabilities: `${plural} that work` } }
}

const pathsOf = async (served: Scheme, document: string) => {
  const text = (await served.openapi())[document] ?? '{"paths":{}}'
  return Object.keys((JSON.parse(text) as { paths: object }).paths)
}

test('a kind whose behaviour is not there is neither served nor published', async () => {
  const served = servableScheme(demanding)
  const all = Object.keys(servableScheme(scheme).routes).length
  assert.is(Object.keys(served.routes).length, all - 2)
  for (const [version, plural] of [
    ['apps/v1', 'deployments'],
    ['batch/v1', 'jobs'],
  ]) {
    assert.is(served.routes[`apis/${version}/${plural}`], undefined)
    const paths = await pathsOf(served, `apis/${version}`)
    assert.ok(paths.length > 0)
    assert.not.ok(paths.some((path) => path.endsWith(`/${plural}`)))
  }
})

test('a behaviour switches its kinds on, and no others', async () => {
  const served = servableScheme(demanding, new Set(['jobs that work']))
  assert.ok(served.routes['apis/batch/v1/jobs'])
  assert.is(served.routes['apis/apps/v1/deployments'], undefined)
  const paths = await pathsOf(served, 'apis/batch/v1')
  assert.ok(paths.includes('/apis/batch/v1/jobs'))
})

test('a tree without such kinds is left alone', () => {
  const plain = servableScheme(scheme)
  assert.is(servableScheme(plain), plain)
})

test('every conversion by hand that a schema calls is there', () => {
  for (const { kind, storageVersion: storage } of Object.values(scheme.routes)) {
    for (const step of storage?.conversion ?? []) {
      if (step.is === 'call') assert.ok(conversions.has(step.name), `${kind} calls ${step.name}`)
    }
  }
})

test.run()
