import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProtobufCodec } from '../../../../../runtime/serializer/protobuf/protobuf-codec.ts'
import { openapiMessages } from '../../../../../runtime/server/discovery/openapi/v3-messages.ts'
import { rawField, rawFields } from '../../../../support/protobuf.ts'
import { startTestServer, type TestServer } from '../../harness.ts'

const tests = suite('runtime/server: the schema documents of version 3 in protobuf')
const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'
const type = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
const path = '/openapi/v3/apis/apps/v1'
let wire: TestServer

tests.before(async () => {
  wire = await startTestServer()
})
tests.after(() => wire.stop())

type Value = { readonly [field: string]: unknown }

async function both() {
  const json = (await wire.request({ path })).json() as unknown as Value
  const reply = await wire.request({ path, headers: { accept } })
  return { json, reply, bytes: reply.bytes }
}

/** The document as JSON again: the way back, written apart from the way there. */
function schemaBack(value: unknown): unknown {
  const { schema, reference } = value as { readonly schema?: Value; readonly reference?: Value }
  if (reference !== undefined) return reference
  const { extensions, properties, items, additionalProperties, ...rest } = schema ?? {}
  const back: Record<string, unknown> = { ...rest }
  for (const name of ['allOf', 'oneOf', 'anyOf']) {
    if (Array.isArray(back[name])) back[name] = (back[name] as unknown[]).map(schemaBack)
  }
  if (Array.isArray(back.enum)) back.enum = back.enum.map(anyBack)
  if (back.default !== undefined) back.default = Object.values(back.default as Value)[0]
  if (properties !== undefined) back.properties = pairsBack(properties, schemaBack)
  if (items !== undefined) back.items = schemaBack((items as { schema: unknown[] }).schema[0])
  if (additionalProperties !== undefined) {
    const { boolean } = additionalProperties as Value
    back.additionalProperties = boolean ?? schemaBack((additionalProperties as Value).schema)
  }
  for (const { name, value: any } of (extensions ?? []) as { name: string; value: unknown }[]) {
    back[name] = anyBack(any)
  }
  return back
}

function anyBack(value: unknown): unknown {
  return JSON.parse((value as { readonly yaml: string }).yaml)
}

function pairsBack(value: unknown, back: (value: unknown) => unknown): Value {
  const { pairs } = value as { readonly pairs?: { name: string; value: unknown }[] }
  return Object.fromEntries((pairs ?? []).map((one) => [one.name, back(one.value)]))
}

/** Without what this format does not write: zeros, and defaults that are no scalars. */
function withoutUnsaid(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnsaid)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, one]) => one !== 0 && one !== '' && !(name === 'default' && typeof one === 'object'),
  )
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutUnsaid(one)]))
}

tests('S-11: a document in protobuf says what the one in JSON says', async () => {
  const { json, reply, bytes } = await both()
  assert.is(reply.headers['content-type'], type)
  const read = createProtobufCodec(openapiMessages).decodeMessage('v3.Document', bytes) as Value
  assert.equal([read.openapi, read.info], [json.openapi, json.info])
  const { schemas } = json.components as { readonly schemas: Value }
  const back = pairsBack((read.components as Value).schemas, schemaBack)
  assert.equal(Object.keys(back), Object.keys(schemas))
  assert.equal(withoutUnsaid(back), withoutUnsaid(schemas))
  const { path: paths } = read.paths as { readonly path: { name: string; value: Value }[] }
  assert.equal(
    paths.map(({ name }) => name),
    Object.keys(json.paths as Value),
  )
  for (const { name, value } of paths) {
    const item = (json.paths as Record<string, Value>)[name] ?? {}
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      const ours = value[method] as Value | undefined
      const theirs = item[method] as Value | undefined
      assert.is(ours?.operationId, theirs?.operationId)
      const asked = theirs?.parameters as Value[] | undefined
      const told = ours?.parameters as { parameter: Value }[] | undefined
      assert.equal(
        told?.map(({ parameter }) => [parameter.name, parameter.in]) ?? [],
        asked?.map((one) => [one.name, one.in]) ?? [],
      )
      const { responses } = (ours?.responses ?? {}) as { responses?: { name: string }[] }
      assert.equal(
        responses?.map((one) => one.name) ?? [],
        Object.keys((theirs?.responses ?? {}) as Value),
      )
    }
  }
})

tests('S-11: the numbers on the wire are those of the format', async () => {
  const { bytes } = await both()
  assert.is(rawField(bytes, 1).toString(), '3.0.0')
  assert.equal([...new Set(rawFields(bytes).map(({ number }) => number))], [1, 2, 4, 5])
  const first = rawField(rawField(bytes, 4), 1)
  assert.match(rawField(first, 1).toString(), /^\/apis\/apps\/v1\//)
  const operation = rawField(rawField(first, 2), 4)
  assert.match(rawField(operation, 5).toString(), /AppsV1/)
  const schema = rawField(rawField(rawField(rawField(bytes, 5), 1), 1), 2)
  assert.ok(rawField(rawField(schema, 1), 25).toString())
})

tests('S-11: it is kept and found by the same hash', async () => {
  const index = (await wire.request({ path: '/openapi/v3' })).json() as never as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
  }
  const url = index.paths['apis/apps/v1']?.serverRelativeURL ?? ''
  const reply = await wire.request({ path: url, headers: { accept } })
  assert.is(reply.headers['cache-control'], 'public, immutable')
  assert.is(reply.headers.vary, 'Accept')
  const again = { accept: type, 'if-none-match': String(reply.headers.etag) }
  assert.is((await wire.request({ path: url, headers: again })).status, 304)
  const stale = await wire.request({ path: `${path}?hash=00`, headers: { accept } })
  assert.is(stale.status, 301)
})

tests.run()
