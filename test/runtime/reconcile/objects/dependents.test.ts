import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import {
  type Context,
  dependent,
  ensureDependents,
} from '../../../../runtime/reconcile/reconcile.ts'
import { assertRejects } from '../../../support/rejects.ts'

const test = suite('runtime/reconcile: dependents')

const part = (name: string, after: readonly string[]) =>
  dependent<ConfigMap>({ name, kind: configMaps, draft: { metadata: { name } }, after })

const wrong = [
  ['one that comes after itself', [part('a', ['a'])], 'a after a is a circle'],
  ['a circle', [part('a', ['b']), part('b', ['a'])], 'a after b after a is a circle'],
  ['an unknown name', [part('a', ['b'])], 'a comes after b, which there is not'],
] as const

for (const [name, dependents, message] of wrong) {
  test(`${name} is refused before anything is written`, async () => {
    const ensuring = ensureDependents({} as Context<ConfigMap>, dependents)
    assert.match((await assertRejects(ensuring, 'BadRequest')).message, message)
  })
}

test.run()
