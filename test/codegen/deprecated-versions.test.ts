// What a schema file says of a version's end is all that there is of it: no list is kept by hand that could fall behind.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { builtScheme } from '../support/built-scheme.ts'

const test = suite('codegen: deprecated versions')

/** A schema file of a version, with what its block says beside the plural. */
const source = (version: string, block: string) => `group: shop.example.com
version: ${version}
definitions:
  Shop:
    description: A shop.
    type: object
    x-orch-kind: { plural: shops, ${block} }
    properties:
      metadata: { $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta', x-orch-zero: keep }
      title: { description: What it is called., type: string }
`

test('the server warns of a version as its schema file says, and so does its definition', async () => {
  for (const deprecated of [true, false]) {
    const old = deprecated ? "deprecated: '1.28', " : ''
    const { scheme, files } = await builtScheme({
      'shop/v1beta1.yaml': source('v1beta1', `${old}storedAs: shop.example.com/v1`),
      'shop/v1.yaml': source('v1', 'conversion: { from: shop.example.com/v1beta1, steps: [] }'),
    })
    await using plane = await startControlPlane({ scheme, socket: true })
    const warningOf = async (version: string) => {
      const path = `/apis/shop.example.com/${version}/namespaces/default/shops`
      const response = await fetch(`${plane.url}${path}`)
      assert.is(response.status, 200, await response.text())
      return response.headers.get('warning')
    }
    const wanted = '299 - "shop.example.com/v1beta1 Shop is deprecated in v1.28+"'
    assert.is(await warningOf('v1beta1'), deprecated ? wanted : null)
    assert.is(await warningOf('v1'), null)
    const definition = [...files].find(([path]) => path.startsWith('definitions/'))?.[1] ?? ''
    assert.is(definition.split('deprecated: true').length - 1, deprecated ? 1 : 0)
  }
})

test.run()
