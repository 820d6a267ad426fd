import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../../../generated/apis/core/v1/namespace.ts'
import { serviceAccounts } from '../../../../generated/apis/core/v1/service-account.ts'
import { decideMap } from '../../../../runtime/controller-manager/identity/root-certificates.ts'
import { decideAccount } from '../../../../runtime/controller-manager/identity/service-accounts.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager/identity')

const active = { status: { phase: 'Active' } } as never
const leaving = { status: { phase: 'Terminating' } } as never

test('an active namespace without the account gets it, others do not (T-15, O-10)', () => {
  assert.is(decideAccount(active, false), true)
  assert.is(decideAccount(active, true), false)
  assert.is(decideAccount(leaving, false), false)
  assert.is(decideAccount(undefined, false), false)
})

test('a config map of certificates is made, put right, and let be (T-15, O-10)', () => {
  const metadata = { name: 'x', annotations: { 'orch.io/description': 'y' } }
  const wanted = { metadata, data: { 'ca.crt': 'PEM' } } as never
  const map = (data: object, annotations: object = metadata.annotations) =>
    ({ metadata: { annotations }, data }) as never
  assert.is(decideMap(active, undefined, wanted), 'create')
  assert.is(decideMap(leaving, undefined, wanted), 'keep')
  assert.is(decideMap(active, map({ 'ca.crt': 'PEM' }), wanted), 'keep')
  assert.is(decideMap(active, map({ 'ca.crt': 'old' }), wanted), 'update')
  assert.is(decideMap(active, map({ 'ca.crt': 'PEM', more: 'x' }), wanted), 'update')
  assert.is(decideMap(active, map({ 'ca.crt': 'PEM' }, {}), wanted), 'update')
})

for (const platform of ['orch', 'kubernetes']) {
  test(`each namespace has the account, which comes again if it goes (O-10, I-27): ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      authorization: 'RBAC',
      controllers: ['serviceaccount-controller'],
    })
    const accounts = plane.client.resource(serviceAccounts)
    await plane.client.resource(namespaces).create({ metadata: { name: 'shop' } })
    const first = await until('the account is there', () => accounts.in('shop').find('default'))
    const own = await accounts.in('shop').mergePatch('default', {
      ...{ secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'b' }] },
      automountServiceAccountToken: false,
    })
    assert.equal(
      [own.secrets, own.imagePullSecrets, own.automountServiceAccountToken],
      [[{ name: 'a' }], [{ name: 'b' }], false],
    )
    await accounts.in('shop').delete(first)
    await until('it is there again', async () => {
      const found = await accounts.in('shop').find('default')
      return found !== undefined && found.metadata.uid !== first.metadata.uid
    })
    assert.is(await plane.client.resource(configMaps).in('shop').find('x'), undefined)
  })
}

test.run()
