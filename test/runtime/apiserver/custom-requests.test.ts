/** Requests about definitions and their objects that are answered in a way of their own, as release 1.29 answers them. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type CustomServer,
  definition,
  definitionsPath,
  startCustom,
} from '../../support/custom.ts'

const test = suite('runtime/apiserver: odd requests about custom objects')

let custom: CustomServer
test.before(async () => {
  custom = await startCustom()
})
test.after(() => custom.stop())

const text = { type: 'string' }
const integer = { type: 'integer' }

/** The causes of a definition that is refused, and the warnings of one that is tried. */
async function tried(kind: string, schema: object, more: object = {}) {
  const path = `${definitionsPath}?dryRun=All`
  const { status, headers, json } = await custom.ask('POST', path, definition(kind, schema, more))
  const causes: readonly { field: string; message: string }[] = json?.details?.causes ?? []
  return {
    status,
    message: String(json?.message),
    warning: headers.get('warning'),
    causes: causes.map(({ field, message }) => `${field}: ${message}`),
  }
}

test('a subresource that a custom kind does not have is an absent object, deprecated or not', async () => {
  const version = { deprecated: true }
  await custom.define(definition('Plain', { type: 'object' }, { version }))
  const path = '/apis/example.com/v1/namespaces/default/plains/a/status'
  for (const method of ['GET', 'PUT', 'PATCH']) {
    const { status, headers, json } = await custom.ask(
      method,
      path,
      method === 'GET' ? undefined : {},
    )
    assert.is(status, 404)
    assert.is(json.message, 'plains.example.com "a" not found')
    assert.equal(json.details, { name: 'a', group: 'example.com', kind: 'plains' })
    assert.match(headers.get('warning') ?? '', 'example.com/v1 Plain is deprecated')
  }
})

test('an object that names another kind is invalid, where there is a place for it', async () => {
  await custom.define(definition('Named', { type: 'object' }))
  const path = '/apis/example.com/v1/namespaces/default/nameds'
  const body = { apiVersion: 'example.com/v1', kind: 'Other', metadata: { name: 'a' }, unknown: 1 }
  const made = await custom.ask('POST', path, body)
  assert.is(made.status, 422, made.text)
  assert.is(
    made.json.message,
    'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Named',
  )
  assert.is((await custom.ask('PUT', `${path}/a`, body)).status, 404)
})

test('keywords that are not known are told, but not below items and additional properties', async () => {
  const unknown = { type: 'string', unknownKeyword: 'x' }
  const told = await tried('Told', { type: 'object', properties: { a: unknown } })
  assert.match(told.warning ?? '', 'unknownKeyword')
  for (const inner of [
    { type: 'array', items: unknown },
    { type: 'object', additionalProperties: unknown },
  ]) {
    const { status, warning } = await tried('Told', { type: 'object', properties: { a: inner } })
    assert.is(status, 201)
    assert.is(warning, null)
  }
})

test('a value of a wrong type deep below items is told at the first items', async () => {
  const items = { type: 'array', items: { type: 'array', items: { $ref: true } } }
  const { status, message } = await tried('Deep', { type: 'object', properties: { a: items } })
  assert.is(status, 400)
  const at = 'JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items'
  assert.match(message, `cannot unmarshal bool into Go struct field ${at} of type string`)
})

test('the port of a service is judged only where the service is the only address', async () => {
  const service = { namespace: 'a', name: 'b', port: 0 }
  const conversion = (clientConfig: object) => ({
    spec: {
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig, conversionReviewVersions: ['v1'] },
      },
    },
  })
  const both = await tried('Port', { type: 'object' }, conversion({ service, url: 'https://a.b' }))
  assert.equal(both.causes, [
    'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
  ])
  const one = await tried('Port', { type: 'object' }, conversion({ service }))
  assert.equal(one.causes, [
    'spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
  ])
})

test('the total cost of rules is told beside other errors, for the rules that were compiled (A8.6)', async () => {
  const costly = { ...text, 'x-orch-validations': [{ rule: 'self == self' }] }
  const list = { type: 'array', items: costly, 'x-orch-list-type': 'list' }
  const { causes } = await tried('Costly', { type: 'object', properties: { list } })
  const rule = 'spec.validation.openAPIV3Schema.properties[list].items.x-orch-validations[0].rule'
  assert.is(causes.filter((one) => one.startsWith(rule)).length, 2)
  assert.ok(causes.some((one) => one.startsWith('spec.validation.openAPIV3Schema: Forbidden')))
})

test('the format int-or-string is a text to rules, and a list of anything has no type', async () => {
  const rule = (one: string) => ({ 'x-orch-validations': [{ rule: one }] })
  const formatted = { ...text, format: 'int-or-string', ...rule('has(self.a)') }
  const first = await tried('Form', { type: 'object', properties: { a: formatted } })
  assert.match(first.causes[0] ?? '', "type 'string' does not support field selection")
  const items = { 'x-orch-preserve-unknown-fields': true }
  const untyped = { type: 'array', items, ...rule('true') }
  const second = await tried('Form', { type: 'object', properties: { a: untyped } })
  assert.match(second.causes[0] ?? '', 'unable to convert structural schema to CEL declarations')
})

test('keys of a map without a name have a dot before them in messages', async () => {
  const map = { type: 'object', additionalProperties: integer, default: { a: 'b' } }
  const { causes } = await tried('Dots', { type: 'object', properties: { map } })
  assert.equal(causes, [
    'spec.validation.openAPIV3Schema.properties[map].default.a: Invalid value: "string": .a in body must be of type integer: "string"',
  ])
})

test('a write of the status gives up other fields that it does not bring, but no spec', async () => {
  const properties = { a: integer, spec: { type: 'object', properties: { b: integer } } }
  const version = { subresources: { status: {} } }
  await custom.define(definition('Owner', { type: 'object', properties }, { version }))
  const path = '/apis/example.com/v1/namespaces/default/owners'
  const body = { apiVersion: 'example.com/v1', kind: 'Owner', metadata: { name: 'x' } }
  const made = await custom.ask('POST', path, { ...body, a: 1, spec: { b: 1 } })
  const { resourceVersion } = made.json.metadata
  const metadata = { name: 'x', resourceVersion }
  const { status, json } = await custom.ask('PUT', `${path}/x/status`, { ...body, metadata })
  assert.is(status, 200)
  assert.is(json.a, 1)
  assert.equal(json.metadata.managedFields[0].fieldsV1, { 'f:spec': { '.': {}, 'f:b': {} } })
})

test.run()
