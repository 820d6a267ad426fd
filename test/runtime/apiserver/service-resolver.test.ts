/** Webhooks behind services: the server finds them by its own objects, and stops without waiting for them. Q-09, C-20 */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultServiceRanges, type ServiceRanges } from '../../../runtime/apis/apis.ts'
import { createAuthority } from '../../support/authority.ts'
import { fakeClock } from '../../support/clock.ts'
import { type CustomServer, definition, startCustom } from '../../support/custom.ts'
import {
  type HttpsServer,
  type RequestHandler,
  startHttpsServer,
} from '../../support/https-server.ts'
import { outerAddress } from '../../support/outer-address.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: services')

/** Endpoints cannot have loopback addresses: the webhook listens where the machine is reached from outside. */
const host = outerAddress()

const domain = 'orch.io'
const hooks = `/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations`

interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly request: {
    readonly uid: string
    readonly desiredAPIVersion?: string
    readonly objects?: readonly { readonly metadata: object }[]
  }
}

/** Lets every request pass, and gives objects of one version as those of another. */
const good = (({ apiVersion, kind, request }: Review) => {
  const { uid, desiredAPIVersion, objects = [] } = request
  const convertedObjects = objects.map((one) => ({ ...one, apiVersion: desiredAPIVersion }))
  const result = { status: 'Success' }
  return { apiVersion, kind, response: { uid, allowed: true, convertedObjects, result } }
}) as RequestHandler

let custom: CustomServer
let hook: HttpsServer
let second: HttpsServer

/** Services whose address is one of this machine: where there is nothing else, they are reached there. */
const local: ServiceRanges = { ...defaultServiceRanges, addresses: ['127.0.0.0/24'] }

test.before(async () => {
  const authority = createAuthority()
  const names = ['found', 'sliced', 'turns', 'converter', 'clustered', 'elsewhere', 'nowhere']
  const certificate = authority.issue(
    [...names, 'headless'].map((one) => `${one}.tools.svc`),
    { local: false },
  )
  const secured = { authority, certificate, host: '0.0.0.0' }
  hook = await startHttpsServer(good, secured)
  second = await startHttpsServer(good, secured)
  custom = await startCustom({ serviceRanges: local })
  await made('/api/v1/namespaces', { metadata: { name: 'tools' } })
})
test.after(async () => {
  await custom.stop()
  await Promise.all([hook.stop(), second.stop()])
})
test.before.each(() => hook.answer(good))

async function made(path: string, body: object): Promise<void> {
  const { status, text } = await custom.ask('POST', path, body)
  assert.is(status, 201, text)
}

const inTools = (resource: string): string => `/api/v1/namespaces/tools/${resource}`

function service(name: string, spec: object): Promise<void> {
  return made(inTools('services'), { metadata: { name }, spec })
}

function endpoints(name: string, ports: readonly object[]): Promise<void> {
  const subsets = [{ addresses: [{ ip: host }], ports }]
  return made(inTools('endpoints'), { metadata: { name }, subsets })
}

const clientConfig = (name: string, port?: number) => ({
  service: { namespace: 'tools', name, path: '/ask', ...(port && { port }) },
  caBundle: hook.caBundle,
})

/** What a write of a config map is answered while a webhook behind the service looks at it. */
async function admitted(name: string, port?: number): Promise<string> {
  const webhook = {
    name: 'one.example.com',
    clientConfig: clientConfig(name, port),
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  await made(hooks, { metadata: { name: 'one' }, webhooks: [webhook] })
  const body = { metadata: { generateName: 'm-' } }
  const { status, json } = await custom.ask('POST', '/api/v1/namespaces/default/configmaps', body)
  await custom.ask('DELETE', `${hooks}/one`)
  return status === 201 ? 'admitted' : json.message
}

const failed = (name: string, port = 443) =>
  `Internal error occurred: failed calling webhook "one.example.com": failed to call webhook: Post "https://${name}.tools.svc:${port}/ask?timeout=10s": `

/** A test for machines that have an address which endpoints can have. */
function atEndpoints(name: string, run: () => Promise<void>): void {
  if (host !== undefined) test(name, run)
  else console.log(`SKIP ${name}: this machine has no address but loopback`)
}

atEndpoints(
  'a service is reached at a ready address, at the number that its named port has there',
  async () => {
    const ports = [
      { name: 'other', port: 80, targetPort: 1 },
      { name: 'web', port: 443, targetPort: 'https' },
    ]
    await service('found', { ports })
    const before = hook.bodies.length
    await endpoints('found', [
      { name: 'other', port: 1 },
      { name: 'web', port: hook.port },
    ])
    assert.is(await admitted('found'), 'admitted')
    assert.is(hook.bodies.length, before + 1)
  },
)

atEndpoints('where there are only slices, they say where a service is', async () => {
  await service('sliced', { ports: [{ port: 8443 }] })
  await made('/apis/discovery.orch.io/v1/namespaces/tools/endpointslices', {
    metadata: { name: 'sliced-1', labels: { [`${domain}/service-name`]: 'sliced' } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['192.0.2.77'], conditions: { ready: false } },
      { addresses: [host], conditions: { ready: true } },
    ],
    ports: [{ name: '', port: hook.port }],
  })
  assert.is(await admitted('sliced', 8443), 'admitted')
})

atEndpoints('conversion finds its webhook at a ready address', async () => {
  await service('converter', { ports: [{ name: 'web', port: 443 }] })
  await endpoints('converter', [{ name: 'web', port: hook.port }])
  const before = hook.bodies.length
  await custom.define(converting('Part', 'converter', 443))
  assert.is(await read('parts'), 'example.com/v2')
  assert.ok(hook.bodies.length > before)
})

test('a service that nobody is ready for is reached at its cluster address', async () => {
  await service('clustered', { clusterIP: '127.0.0.9', ports: [{ port: hook.port }] })
  const before = hook.bodies.length
  assert.is(await admitted('clustered', hook.port), 'admitted')
  await custom.define(converting('Whole', 'clustered', hook.port))
  assert.is(await read('wholes'), 'example.com/v2')
  assert.ok(hook.bodies.length > before + 1)
})

test('a service with an external name is reached there, and shows its own name all the same', async () => {
  await service('elsewhere', { type: 'ExternalName', externalName: 'localhost' })
  assert.is(await admitted('elsewhere', hook.port), 'admitted')
})

atEndpoints(
  'the ready addresses of a service are asked in turns, whatever others are asked between',
  async () => {
    await service('turns', { ports: [{ port: 443 }] })
    const subsets = [hook, second].map(({ port }) => ({
      addresses: [{ ip: host }],
      ports: [{ port }],
    }))
    await made(inTools('endpoints'), { metadata: { name: 'turns' }, subsets })
    const before = [hook, second].map(({ bodies }) => bodies.length)
    for (let time = 0; time < 4; time++) {
      assert.is(await admitted('turns'), 'admitted')
      assert.is(await admitted('found'), 'admitted')
    }
    const asked = [hook, second].map(({ bodies }, at) => bodies.length - (before[at] ?? 0))
    assert.equal(asked, [2 + 4, 2])
  },
)

test('a service that is not there, or has no such port or no address, is told by name', async () => {
  assert.is(await admitted('nowhere'), `${failed('nowhere')}service "nowhere" not found`)
  await service('nowhere', { ports: [{ port: 80 }] })
  const why = 'no service port 443 found for service "nowhere"'
  assert.is(await admitted('nowhere'), failed('nowhere') + why)
  await service('headless', { clusterIP: 'None', ports: [{ port: 443 }] })
  const none = 'no endpoints available for service "headless"'
  assert.is(await admitted('headless'), failed('headless') + none)
})

const kinds = '/apis/example.com'

function converting(kind: string, name: string, port: number): object {
  const schema = { type: 'object', 'x-orch-preserve-unknown-fields': true }
  const versions = ['v1', 'v2'].map((one) => ({
    name: one,
    served: true,
    storage: one === 'v1',
    schema: { openAPIV3Schema: schema },
  }))
  const webhook = { clientConfig: clientConfig(name, port), conversionReviewVersions: ['v1'] }
  return definition(kind, {}, { spec: { versions, conversion: { strategy: 'Webhook', webhook } } })
}

/** Stores an object in the first version; the version in which it is read in the second. */
async function read(plural: string): Promise<string> {
  await made(`${kinds}/v1/namespaces/default/${plural}`, { metadata: { name: 'a' } })
  const path = `${kinds}/v2/namespaces/default/${plural}/a`
  const { status, json, text } = await custom.ask('GET', path)
  assert.is(status, 200, text)
  return json.apiVersion
}

test('conversion finds its webhook at an external name', async () => {
  await custom.define(converting('Thing', 'elsewhere', hook.port))
  assert.is(await read('things'), 'example.com/v2')
})

test('a server that stops does not wait for webhooks that do not answer: no time passes by its clock', async () => {
  const other = custom
  custom = await startCustom({ clock: fakeClock(Date.parse('2030-01-01T00:00:00Z')) })
  const asked = hook.bodies.length
  hook.answer(() => undefined)
  const webhook = {
    name: 'silent.example.com',
    clientConfig: clientConfig('elsewhere', hook.port),
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    failurePolicy: 'Ignore',
    timeoutSeconds: 30,
    admissionReviewVersions: ['v1'],
  }
  await made('/api/v1/namespaces', { metadata: { name: 'tools' } })
  await service('elsewhere', { type: 'ExternalName', externalName: 'localhost' })
  await made(hooks, { metadata: { name: 'silent' }, webhooks: [webhook] })
  const body = { metadata: { name: 'waits' } }
  const waiting = custom.ask('POST', '/api/v1/namespaces/default/configmaps', body)
  await until('the webhook is asked', async () => hook.bodies.length > asked)
  const [, answer] = await Promise.all([custom.stop(), waiting])
  assert.is(answer.status, 503, 'nothing is admitted because nobody could be asked')
  custom = other
})

test.run()
