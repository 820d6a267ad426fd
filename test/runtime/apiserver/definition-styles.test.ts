/** Definitions in the styles of thirty and more sorts of projects: established, used, and held to what they say. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clusterStyles } from '../../../tools/styles/cluster.ts'
import { dataStyles } from '../../../tools/styles/data.ts'
import { deliveryStyles } from '../../../tools/styles/delivery.ts'
import { largeStyles } from '../../../tools/styles/large.ts'
import type { Style } from '../../../tools/styles/styles.ts'
import { trafficStyles } from '../../../tools/styles/traffic.ts'
import { missingFrom } from '../../support/contains.ts'
import { type CustomServer, startCustom } from '../../support/custom.ts'

const test = suite('runtime/apiserver: definitions of many styles')
const styles: readonly Style[] = [
  ...trafficStyles,
  ...deliveryStyles,
  ...dataStyles,
  ...clusterStyles,
  ...largeStyles,
]

let own: CustomServer
let others: CustomServer
test.before(async () => {
  own = await startCustom()
  others = await startCustom()
})
test.after(async () => {
  await own.stop()
  await others.stop()
})

interface Made {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

function collectionOf(style: Style): string {
  const { apiVersion, kind } = style.good as Made
  const { spec } = style.definition as { spec: { scope: string } }
  const place = spec.scope === 'Namespaced' ? 'namespaces/default/' : ''
  return `/apis/${apiVersion}/${place}${kind.toLowerCase()}s`
}

/** The definition with the keys that the public ecosystem writes. */
function withPublicKeys(definition: object): object {
  return JSON.parse(JSON.stringify(definition).replaceAll('"x-orch-', '"x-kubernetes-'))
}

for (const style of styles) {
  test(`${style.kind}: an object that is right is kept as it is, a wrong one refused (C-05 to C-13)`, async () => {
    await own.define(style.definition)
    const path = collectionOf(style)
    const created = await own.ask('POST', path, style.good)
    assert.is(created.status, 201, created.text)
    const { name } = (style.good as Made).metadata
    const read = await own.ask('GET', `${path}/${name}`)
    assert.equal(missingFrom(style.good, read.json), [])
    const again = await own.ask('PUT', `${path}/${name}`, read.json)
    assert.is(again.json.metadata.resourceVersion, read.json.metadata.resourceVersion)
    const refused = await own.ask('POST', path, style.bad)
    assert.is(refused.status, 422, refused.text)
    assert.match(refused.json.message, style.refusal)
  })

  test(`${style.kind}: the same with the keys of the public ecosystem`, async () => {
    await others.define(withPublicKeys(style.definition))
    const refused = await others.ask('POST', collectionOf(style), style.bad)
    assert.match(refused.json.message, style.refusal)
  })
}

test('all of them are in discovery, and their documents can be read (S-12, S-13)', async () => {
  const { json } = await own.ask('GET', '/apis')
  const groups = new Set(json.groups.map(({ name }: { name: string }) => name))
  for (const { group } of styles) assert.ok(groups.has(group), group)
  const index = await own.ask('GET', '/openapi/v3')
  for (const style of styles) {
    const key = `apis/${(style.good as Made).apiVersion}`
    const document = await own.ask('GET', index.json.paths[key].serverRelativeURL)
    assert.is(document.status, 200)
    assert.ok(document.text.includes(`.${style.kind}"`), style.kind)
  }
  const whole = await own.ask('GET', '/openapi/v2')
  assert.is(whole.status, 200)
})

test.run()
