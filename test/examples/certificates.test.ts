// An operator over a kind of other people, which a server knows by its definition only.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessRules, createManager } from 'orch'
import { customResourceDefinitions } from 'orch/generated/apis/apiextensions/v1/custom-resource-definition'
import { services } from 'orch/generated/apis/core/v1/service'
import { type ControlPlane, startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { definitionsIn, importDefinitions } from '../../codegen/import/import.ts'
import { generateInMemory, packageRoot } from '../../codegen/main.ts'
import {
  certificateController,
  issuerKey,
  untilKey,
} from '../../examples/certificates/controller.ts'
import { certificates } from '../../examples/certificates/generated/apis/cert-manager.io/v1/certificate.ts'
import { until } from '../support/until.ts'

const test = suite<{ plane: ControlPlane; end: () => Promise<void> }>('examples/certificates')

const example = join(packageRoot, 'examples/certificates')
const definition = readFileSync(join(example, 'definitions/certificates.yaml'), 'utf8')

test.before.each(async (context) => {
  context.plane = await startControlPlane()
  const { client } = context.plane
  const ours = definition.replaceAll('x-kubernetes-', 'x-orch-').replace('k8s.io/v1', 'orch.io/v1')
  await client.resource(customResourceDefinitions).create(parse(ours))
  await until('the kind', () => client.dynamic('certificates').catch(() => undefined))
  const stop = new AbortController()
  const run = createManager({ client, controllers: [certificateController] }).run(stop.signal)
  context.end = async () => {
    stop.abort()
    await run
    await context.plane.stop()
  }
})

test.after.each(({ end }) => end())

const draft = {
  metadata: { name: 'shop', annotations: { [issuerKey]: 'internal' } },
  spec: { ports: [{ port: 443 }] },
}

test('what was imported is what the definition says, and so is what was generated', async () => {
  const { files } = importDefinitions(definitionsIn(definition))
  for (const [path, text] of files) {
    assert.is(readFileSync(join(example, 'schemas', path), 'utf8'), text)
  }
  const generated = await generateInMemory({ schemas: join(example, 'schemas') })
  for (const [path, text] of generated.files) {
    if (path === 'manifest.json') continue
    assert.is(readFileSync(join(example, 'generated', path), 'utf8'), text, path)
  }
})

test('a service that names an issuer gets a certificate, and says until when it holds', async ({
  plane: { client },
}) => {
  await client.resource(services).create(draft)
  const made = await until('certificate', () => client.resource(certificates).find('shop'))
  assert.equal(made.spec.dnsNames, ['shop.default.svc', 'shop.default.svc.cluster.local'])
  assert.equal(made.spec.issuerRef, { name: 'internal', kind: 'Issuer' })
  const notAfter = '2030-01-01T00:00:00Z'
  const status = { notAfter, conditions: [{ type: 'Ready', status: 'True' as const }] }
  await client.resource(certificates).updateStatus({ ...made, status })
  await until('annotation', async () => {
    const { metadata } = await client.resource(services).get('shop')
    return metadata.annotations?.[untilKey] === notAfter
  })
})

test('a service that names none any longer loses its certificate', async ({
  plane: { client },
}) => {
  await client.resource(services).create(draft)
  await until('certificate', () => client.resource(certificates).find('shop'))
  await client
    .resource(services)
    .mergePatch('shop', { metadata: { annotations: { [issuerKey]: null } } })
  await until('no certificate', async () => !(await client.resource(certificates).find('shop')))
})

test('its rights are those of an owner of certificates, and to write services', () => {
  const { everywhere } = accessRules([certificateController])
  const owned = everywhere.find(({ apiGroups }) => apiGroups[0] === 'cert-manager.io')
  assert.equal(owned?.resources, ['certificates'])
  assert.ok(owned?.verbs.includes('create'))
})

test.run()
