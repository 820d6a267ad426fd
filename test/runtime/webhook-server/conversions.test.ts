// Conversions of an operator: its answers, its certificate, and a server that calls it.
import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { packageRoot } from '../../../codegen/main.ts'
import { scheme } from '../../../examples/caches/generated/scheme.ts'
import { customResourceDefinitions } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { secrets } from '../../../generated/apis/core/v1/secret.ts'
import { services } from '../../../generated/apis/core/v1/service.ts'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/control-plane.ts'
import {
  createServingCertificate,
  renewalMs,
  validMs,
} from '../../../runtime/webhook-server/certificate/certificate.ts'
import {
  convertReview,
  serveWebhooks,
  type WebhookServer,
} from '../../../runtime/webhook-server/webhook-server.ts'
import { fakeClock } from '../../support/clock.ts'
import { hangSignal } from '../../support/deadline.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/webhook-server: conversions')

interface Answered {
  readonly response: {
    readonly convertedObjects: readonly { readonly metadata: { readonly annotations?: object } }[]
    readonly result: object
  }
}

const kinds: readonly AnyKind[] = Object.values(scheme.routes)
const [older, newer] = ['caches.example.com/v1beta1', 'caches.example.com/v1']

function reviewOf(desiredAPIVersion: string, ...objects: readonly object[]) {
  const request = { uid: 'u', desiredAPIVersion, objects }
  return { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request }
}

function cache(apiVersion: string, spec: object) {
  return { kind: 'Cache', apiVersion, metadata: { name: 'c', uid: '1' }, spec }
}

test('a review is answered with its objects in the version that it asks for, and back', () => {
  const old = cache(older, { size: 3, memory: '1Gi' })
  const up = convertReview(kinds, reviewOf(newer, old))
  assert.is(up.kind, 'ConversionReview')
  assert.is(up.request, undefined)
  const converted = cache(newer, { servers: 3, limits: { memory: '1Gi' } })
  const result = { status: 'Success' }
  assert.equal(up.response, { uid: 'u', convertedObjects: [converted], result })
  const down = convertReview(kinds, reviewOf(older, converted, old))
  assert.equal(down.response, { uid: 'u', convertedObjects: [old, old], result })
})

test('what one version has no field for survives the way there and back', () => {
  const object = cache(newer, { servers: 1, eviction: 'Oldest' })
  const { response } = convertReview(kinds, reviewOf(older, object)) as unknown as Answered
  const [down] = response.convertedObjects
  assert.equal(down?.metadata.annotations, { 'caches.example.com/eviction': '"Oldest"' })
  const back = convertReview(kinds, reviewOf(newer, down ?? {})) as unknown as Answered
  assert.equal(back.response.convertedObjects, [object])
})

const failures: readonly [string, unknown, string][] = [
  [
    'an unknown version',
    reviewOf('caches.example.com/v2', cache(older, {})),
    'Cache of caches.example.com/v2: there is caches.example.com/v1, caches.example.com/v1beta1',
  ],
  [
    'an unknown kind',
    reviewOf(newer, { kind: 'Pod', apiVersion: older }),
    'Pod of caches.example.com/v1beta1: no such kind is known here',
  ],
  ['an object that is none', reviewOf(newer, [] as never), 'expected objects in request.objects'],
  ['no review', { kind: 'Pod' }, 'expected a ConversionReview with request.objects'],
  ['nothing', null, 'expected a ConversionReview with request.objects'],
]

for (const [name, review, message] of failures) {
  test(`${name} is a failure that says so, and converts nothing`, () => {
    const { response } = convertReview(kinds, review) as unknown as Answered
    assert.equal(response.convertedObjects, [])
    assert.equal(response.result, { status: 'Failure', reason: 'Invalid', message })
  })
}

test('a certificate is for its hosts, is signed by its authority, and holds for a year', () => {
  const now = Date.parse('2049-06-01T12:00:00Z')
  const made = createServingCertificate(['a.b.svc', 'a.b.svc.cluster.local'], now)
  const [cert, ca] = [new X509Certificate(made.cert), new X509Certificate(made.ca)]
  assert.is(cert.subjectAltName, 'DNS:a.b.svc, DNS:a.b.svc.cluster.local')
  assert.is(cert.checkHost('a.b.svc'), 'a.b.svc')
  assert.ok(cert.checkIssued(ca))
  assert.ok(cert.verify(ca.publicKey))
  assert.equal([cert.ca, ca.ca], [false, true])
  assert.is(Date.parse(cert.validFrom), now - 3_600_000)
  assert.is(Date.parse(cert.validTo), now + validMs)
  assert.equal(cert.keyUsage, ['1.3.6.1.5.5.7.3.1'])
})

const names = { name: 'cache-operator', namespace: 'keeping' }

interface Serving {
  readonly plane: ControlPlane
  readonly webhook: WebhookServer
}

/** A server with the definition of caches, a webhook, and the service by which the one finds the other. */
async function startServing(clock = fakeClock(Date.now())): Promise<Serving & AsyncDisposable> {
  const plane = await startControlPlane()
  const { client } = plane
  await client.resource(namespaces).create({ metadata: { name: names.namespace } })
  await client.resource(customResourceDefinitions).create(definition())
  const listen = { host: '127.0.0.1', port: 0 }
  const webhook = await serveWebhooks({ ...names, client, scheme, listen, clock })
  const stop = async () => {
    await webhook.close()
    await plane.stop()
  }
  await serviceTo(plane, webhook.port)
  return { plane, webhook, [Symbol.asyncDispose]: stop }
}

/** The generated definition, as `orch package` completes it. */
function definition() {
  const file = 'examples/caches/deploy/cache-operator.yaml'
  const text = readFileSync(join(packageRoot, file), 'utf8')
  const manifest = text.split('---\n').find((one) => one.includes('kind: CustomResourceDefinition'))
  const object = parse(
    (manifest ?? '')
      .replaceAll('x-kubernetes-', 'x-orch-')
      .replaceAll('namespace: cache-operator', `namespace: ${names.namespace}`),
  )
  return { ...object, apiVersion: 'apiextensions.orch.io/v1' }
}

/** An address of loopback has no place in endpoints: the service has an external name instead, and the port is in the definition. */
async function serviceTo({ client }: ControlPlane, port: number): Promise<void> {
  const metadata = { name: 'cache-operator-webhook', namespace: names.namespace }
  const spec = { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] } as const
  await client.resource(services).create({ metadata, spec })
  const webhook = { clientConfig: { service: { port } } }
  const definitions = client.resource(customResourceDefinitions)
  await definitions.mergePatch('caches.caches.example.com', { spec: { conversion: { webhook } } })
}

test('a server that knows the definition only serves both versions of the kind', async () => {
  await using serving = await startServing()
  const { client } = serving.plane
  const draft = { metadata: { name: 'c' }, spec: { size: 2, memory: '64Mi' } }
  const old = await until('the webhook', async () => {
    const resource = await client.dynamic('caches.v1beta1.caches.example.com')
    await resource.create(draft)
    return resource
  })
  const now = await client.dynamic('caches.v1.caches.example.com')
  assert.equal((await now.get('c')).spec, { servers: 2, limits: { memory: '64Mi' } })
  await now.mergePatch('c', { spec: { servers: 5, eviction: 'LeastUsed' } })
  assert.equal((await old.get('c')).spec, { size: 5, memory: '64Mi' })
  await old.mergePatch('c', { spec: { size: 6 } })
  assert.equal((await now.get('c')).spec, {
    servers: 6,
    limits: { memory: '64Mi' },
    eviction: 'LeastUsed',
  })
})

test('the certificate is one for all copies, and is renewed before it ends', async () => {
  const clock = fakeClock(Date.now())
  await using serving = await startServing(clock)
  const { client } = serving.plane
  const listen = { host: '127.0.0.1', port: 0 }
  const other = await serveWebhooks({ ...names, client, scheme, listen, clock })
  const before = await shownBy(other.port)
  assert.is(await shownBy(serving.webhook.port), before)
  clock.advance(validMs - renewalMs + 60_000)
  const after = await until('another certificate', async () => {
    clock.advance(60_000)
    const shown = await shownBy(other.port)
    return shown !== before && shown
  })
  await until('the same one everywhere', async () => {
    clock.advance(60_000)
    return (await shownBy(serving.webhook.port)) === after
  })
  const { data = {} } = await client
    .resource(secrets)
    .in(names.namespace)
    .get('cache-operator-webhook')
  const { spec } = await client.resource(customResourceDefinitions).get('caches.caches.example.com')
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle
  assert.is(bundle, data['ca.crt'])
  const authorities = Buffer.from(bundle ?? '', 'base64')
    .toString()
    .match(/BEGIN CERTIFICATE/g)
  assert.is(authorities?.length, 2, 'the new authority, and the one before')
  await other.close()
})

/** The fingerprint of the certificate that a server shows. */
function shownBy(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, rejectUnauthorized: false, agent: false }
    const sent = request({ ...options, signal: hangSignal() }, (response) => {
      const { raw } = (response.socket as import('node:tls').TLSSocket).getPeerCertificate()
      response.resume().on('end', () => resolve(createHash('sha256').update(raw).digest('hex')))
    })
    sent.on('error', reject).end()
  })
}

const requests: readonly [method: string, path: string, body: string, status: number][] = [
  ['GET', '/convert', '', 405],
  ['POST', '/', '', 404],
  ['POST', '/convert', '{', 400],
  ['POST', '/convert', '['.repeat(5000), 400],
  ['POST', '/convert', `{"request":[${'{},'.repeat(1_000_001)}{}]}`, 413],
  ['POST', '/convert?timeout=30s', '{}', 200],
]

test('what is no review is refused', async () => {
  await using serving = await startServing()
  for (const [method, path, body, status] of requests) {
    const found = await new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: serving.webhook.port, rejectUnauthorized: false }
      const sent = request({ ...options, method, path, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      sent.on('error', reject).end(body)
    })
    assert.is(found, status, `${method} ${path}`)
  }
})

test.run()
