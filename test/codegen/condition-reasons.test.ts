// The reasons of conditions, from a schema file to a refusal.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AnyKind } from '../../runtime/kernel/descriptors/kind.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { builtScheme } from '../support/built-scheme.ts'
import { assertRejects } from '../support/rejects.ts'

const test = suite('codegen: reasons of conditions')

const source = `group: shop.example.com
version: v1
definitions:
  Shop:
    description: A shop.
    type: object
    x-orch-kind: { plural: shops }
    properties:
      metadata: { $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta', x-orch-zero: keep }
      conditions:
        description: How it does.
        type: array
        maxItems: 8
        x-orch-list-type: map
        x-orch-list-map-keys: [type]
        items: { $ref: '#/definitions/ShopCondition' }
  ShopCondition:
    description: One observation.
    type: object
    required: [type]
    x-orch-condition-reasons: { Open: [Day, Feast], Full: [Crowd] }
    properties:
      type: { description: What of., type: string, enum: [Open, Full] }
      reason: { description: Why., type: string, enum: [Day, Feast, Crowd] }
`

test('a server refuses a reason of another type, and takes its own or none', async () => {
  const { scheme, files } = await builtScheme({ 'shop/v1.yaml': source })
  await using plane = await startControlPlane({ scheme })
  const kind = Object.values(scheme.routes).find(({ plural }) => plural === 'shops') as AnyKind
  const shops = plane.client.resource(kind)
  const shop = (name: string, ...conditions: readonly object[]) => ({
    metadata: { name },
    conditions,
  })
  await shops.create(shop('a', { type: 'Open', reason: 'Feast' }, { type: 'Full' }))
  const error = await assertRejects(
    shops.create(shop('b', { type: 'Full', reason: 'Day' })),
    'Invalid',
  )
  assert.match(error.message, 'conditions[0].reason')
  assert.match(error.message, 'a reason of Full is one of Crowd')
  const types = [...files].find(([path]) => path.endsWith('shop/v1.ts'))?.[1] ?? ''
  assert.match(types, "{ readonly Open: 'Day' | 'Feast'; readonly Full: 'Crowd' }")
})

test('conditions with meanings are a fact of the kind, and of its reference page', async () => {
  const status = `
      status:
        description: How it does.
        type: object
        properties:
          conditions:
            description: How it does.
            type: array
            maxItems: 8
            x-orch-list-type: map
            x-orch-list-map-keys: [type]
            items: { $ref: '#/definitions/ShopCondition' }
`
  const declared = `{ Open: { healthy: "True", alertAfter: 90s, reasons: { Day: It is day., Feast: Today is one. } }, Full: [Crowd] }`
  const text = source
    .replace(/\n {6}conditions:[\s\S]*?(?=\n {2}ShopCondition)/, status.trimEnd())
    .replace('{ Open: [Day, Feast], Full: [Crowd] }', declared)
  const { scheme, files } = await builtScheme({ 'shop/v1.yaml': text })
  const kind = Object.values(scheme.routes).find(({ plural }) => plural === 'shops') as AnyKind
  assert.equal(kind.conditions, {
    Open: {
      reasons: { Day: 'It is day.', Feast: 'Today is one.' },
      healthy: 'True',
      alertAfterSeconds: 90,
    },
    Full: { reasons: { Crowd: '' } },
  })
  const page = [...files].find(([path]) => path.endsWith('.md'))?.[1] ?? ''
  assert.match(page, '| `Open` | `True`; an alert after 1m30s | `Day` | It is day. |')
  assert.match(page, '| `Full` |  | `Crowd` |  |')
})

test.run()
