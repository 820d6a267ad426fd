import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rawField, rawFields } from '../../../../support/protobuf.ts'
import { startTestServer, type TestServer } from '../../harness.ts'

const tests = suite('runtime/server: the schema document of version 2')
const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
const type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
let wire: TestServer

tests.before(async () => {
  wire = await startTestServer()
})
tests.after(() => wire.stop())

interface Document {
  readonly swagger: string
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, never>>>>>
  >
  readonly definitions: Readonly<Record<string, Readonly<Record<string, never>>>>
  readonly parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

async function json(): Promise<Document> {
  const reply = await wire.request({ path: '/openapi/v2' })
  assert.is(reply.headers['content-type'], 'application/json')
  return reply.json() as unknown as Document
}

/** The value of a named entry in a message that is a list of pairs in the field `number`. */
function entry(bytes: Uint8Array, number: number, name: string): Buffer {
  const found = rawFields(bytes)
    .filter((field) => field.number === number)
    .find(({ value }) => rawField(value as Buffer, 1).toString() === name)
  if (found === undefined) throw new Error(`no entry ${name}`)
  return rawField(found.value as Buffer, 2)
}

tests('what it varies by is told once, compressed or not', async () => {
  const plain = await wire.request({ path: '/openapi/v2' })
  const headers = { 'accept-encoding': 'gzip' }
  const zipped = await wire.request({ path: '/openapi/v2', headers })
  assert.is(zipped.headers['content-encoding'], 'gzip')
  assert.is(zipped.headers.vary, 'Accept-Encoding, Accept')
  assert.is(plain.headers.vary, 'Accept-Encoding, Accept')
})

tests('one JSON document has the paths and definitions of all groups', async () => {
  // S-09 S-13
  const document = await json()
  assert.is(document.swagger, '2.0')
  assert.ok(document.paths['/api/v1/namespaces/{namespace}/pods/{name}'])
  assert.ok(document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'])
  assert.ok(document.definitions['io.orch.api.core.v1.Pod'])
  assert.ok(document.definitions['io.orch.api.apps.v1.Deployment'])
})

tests('every reference of the document leads to something in it', async () => {
  const document = await json()
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
  assert.ok(references.length > 100)
  for (const [, path = ''] of references) {
    const [folder, name = ''] = path.split('/')
    const found = folder === 'parameters' ? document.parameters : document.definitions
    assert.ok(found[name], path)
  }
})

tests('no word of version 3 is left in it', async () => {
  const { definitions, ...document } = await json()
  // The schema of schemas has fields of these names.
  const others = Object.entries(definitions).filter(([name]) => !name.endsWith('.JSONSchemaProps'))
  const text = JSON.stringify([document, others])
  for (const word of ['allOf', 'oneOf', 'requestBody', 'nullable', 'content']) {
    assert.not.match(text, `"${word}":`)
  }
})

tests(
  'an integer or string and a quantity are strings, a reference keeps its description',
  async () => {
    // S-12
    const { definitions } = await json()
    const intOrString = definitions['io.orch.apimachinery.pkg.util.intstr.IntOrString']
    assert.is(intOrString?.type, 'string')
    assert.is(intOrString?.format, 'int-or-string')
    assert.is(definitions['io.orch.apimachinery.pkg.api.resource.Quantity']?.type, 'string')
    const spec = definitions['io.orch.api.apps.v1.DeploymentSpec'] as unknown as {
      readonly properties: Readonly<Record<string, Readonly<Record<string, string>>>>
    }
    const { template } = spec.properties
    assert.is(template?.$ref, '#/definitions/io.orch.api.core.v1.PodTemplateSpec')
    assert.type(template?.description, 'string')
  },
)

tests('a body is a parameter, and parameters have their types themselves', async () => {
  const { paths, parameters } = await json()
  const { post = {} } = paths['/api/v1/namespaces/{namespace}/configmaps'] ?? {}
  const [body, ...others] = post.parameters as unknown as Record<string, unknown>[]
  assert.equal(body, {
    name: 'body',
    in: 'body',
    required: true,
    schema: { $ref: '#/definitions/io.orch.api.core.v1.ConfigMap' },
  })
  const all = [...others.filter(({ $ref }) => $ref === undefined), ...Object.values(parameters)]
  const plain = all.filter((one) => one.in !== 'body')
  assert.ok(plain.every(({ type: own, schema }) => own !== undefined && schema === undefined))
})

tests(
  'what tools look for in an operation stands there, other parameters once in the document',
  async () => {
    // CL-03: tools before 1.29 follow no reference
    const { paths, parameters } = await json()
    const { patch = {} } = paths['/api/v1/namespaces/{namespace}/configmaps/{name}'] ?? {}
    const own = patch.parameters as unknown as { name?: string; $ref?: string }[]
    assert.equal(
      own.flatMap(({ name }) => name ?? []),
      ['dryRun', 'fieldValidation'],
    )
    const shared = own.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? [])
    assert.equal(
      shared.map((name) => parameters[name]?.name),
      ['body', 'fieldManager', 'force'],
    )
  },
)

tests('the protobuf form has the numbers of the public schema of such documents', async () => {
  // S-09: Document 1 swagger, 2 info, 8 paths, 9 definitions; PathItem 8 patch; Operation 8 parameters; and so on
  const reply = await wire.request({ path: '/openapi/v2', headers: { accept } })
  assert.is(reply.headers['content-type'], type)
  const document = reply.bytes
  assert.equal(
    rawFields(document).map(({ number }) => number),
    [1, 2, 8, 9, 10, 12, 13],
  )
  assert.is(rawField(document, 1).toString(), '2.0')
  const path = entry(rawField(document, 8), 2, '/api/v1/namespaces/{namespace}/pods/{name}')
  const patch = rawField(path, 8)
  assert.is(rawField(patch, 5).toString(), 'patchCoreV1NamespacedPod')
  const names = rawFields(patch)
    .filter(({ number }) => number === 8)
    .map(({ value }) => value as Buffer)
    .map((parameter) => {
      const [{ number: kind } = { number: 0 }] = rawFields(parameter)
      if (kind === 2) return rawField(rawField(parameter, 2), 1).toString()
      const [{ number, value } = { number: 0, value: Buffer.alloc(0) }] = rawFields(
        rawField(parameter, 1),
      )
      return number === 1
        ? rawField(value as Buffer, 2).toString()
        : rawField(rawField(value as Buffer, 3), 4).toString()
    })
  assert.match(names[0] ?? '', /^#\/parameters\/body-/)
  assert.ok(names.includes('fieldValidation'))
  const extension = entry(patch, 13, 'x-orch-group-version-kind')
  assert.equal(JSON.parse(rawField(extension, 2).toString()), {
    group: '',
    kind: 'Pod',
    version: 'v1',
  })
})

tests('schemas in the protobuf form are those of the JSON form', async () => {
  const reply = await wire.request({ path: '/openapi/v2', headers: { accept } })
  const { definitions } = await json()
  const found = rawFields(rawField(reply.bytes, 9)).map(({ value }) => value as Buffer)
  assert.is(found.length, Object.keys(definitions).length)
  const spec = entry(rawField(reply.bytes, 9), 1, 'io.orch.api.apps.v1.DeploymentSpec')
  const want = definitions['io.orch.api.apps.v1.DeploymentSpec'] as unknown as {
    required: string[]
    properties: Record<string, Record<string, unknown>>
  }
  const required = rawFields(spec).filter(({ number }) => number === 19)
  assert.equal(
    required.map(({ value }) => String(value)),
    want.required,
  )
  const properties = rawField(spec, 25)
  const replicas = entry(properties, 1, 'replicas')
  assert.is(rawField(rawField(replicas, 22), 1).toString(), want.properties.replicas?.type)
  assert.is(rawField(replicas, 2).toString(), 'int32')
  assert.not(rawFields(replicas).some(({ number }) => number === 5))
  const template = entry(properties, 1, 'template')
  assert.is(rawField(template, 1).toString(), want.properties.template?.$ref)
})

tests('each form has its own tag, and who has it gets it once', async () => {
  const first = await wire.request({ path: '/openapi/v2', headers: { accept } })
  const plain = await wire.request({ path: '/openapi/v2' })
  assert.not.equal(first.headers.etag, plain.headers.etag)
  const headers = { accept, 'if-none-match': String(first.headers.etag) }
  assert.is((await wire.request({ path: '/openapi/v2', headers })).status, 304)
})

tests.run()
