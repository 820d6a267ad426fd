/** Kinds of one's own as definitions: a server that is given the definition answers as one that the kind is compiled into. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { packageRoot } from '../../../../codegen/main.ts'
import { scheme } from '../../../../generated/scheme.ts'
import { mergeSchemes } from '../../../../runtime/kernel/descriptors/scheme.ts'
import { builtScheme } from '../../../support/built-scheme.ts'
import { type Answer, type CustomServer, startCustom } from '../../../support/custom.ts'

interface Servers {
  /** Serves the compiled kind. */
  compiled: CustomServer
  /** Serves the definition that was generated from the same schema file. */
  defined: CustomServer
  /** The generated manifest. */
  manifest: string
}

const test = suite<Servers>('codegen/emit: definitions')
const folder = join(packageRoot, 'test/golden/definitions')
const parks = '/apis/parks.example.com/v1/parks'

test.before(async (context) => {
  const source = readFileSync(join(folder, 'parks.example.com/v1.yaml'), 'utf8')
  const built = await builtScheme({ 'parks/v1.yaml': source })
  context.manifest = built.files.get('definitions/parks.parks.example.com.yaml') ?? ''
  context.compiled = await startCustom({ scheme: mergeSchemes(scheme, built.scheme) })
  context.defined = await startCustom()
  await context.defined.define(parse(inOurNames(context.manifest)))
})

test.after(async ({ compiled, defined }) => {
  await Promise.all([compiled.stop(), defined.stop()])
})

test('the manifest is as it was reviewed', ({ manifest }) => {
  assert.is(manifest, readFileSync(join(folder, 'parks.parks.example.com.yaml'), 'utf8'))
})

/** A manifest has the public names; the server of these tests has the platform's own. */
function inOurNames(manifest: string): string {
  return manifest
    .replaceAll('x-kubernetes-', 'x-orch-')
    .replace('apiextensions.k8s.io', 'apiextensions.orch.io')
}

/** The answers of both servers to one request, without what differs between any two servers. */
async function both(
  { compiled, defined }: Servers,
  ...request: Parameters<CustomServer['ask']>
): Promise<readonly [unknown, unknown]> {
  const [ours, theirs] = await Promise.all([compiled.ask(...request), defined.ask(...request)])
  return [comparable(ours), comparable(theirs)]
}

function comparable({ status, json }: Answer): unknown {
  if (json.kind === 'Status') {
    // A definition's answer has a cause without a field where its rules were not evaluated.
    const all: readonly { readonly field: string }[] = json.details?.causes ?? []
    const causes = all.filter(({ field }) => field !== '<nil>')
    return {
      status,
      reason: json.reason,
      fields: [...new Set(causes.map((cause) => cause.field))].sort(),
    }
  }
  const {
    uid: _,
    creationTimestamp: __,
    managedFields: ___,
    resourceVersion: ____,
    ...metadata
  } = json.metadata
  return { status, ...json, metadata }
}

const park = (name: string, spec: object, more: object = {}) => ({
  apiVersion: 'parks.example.com/v1',
  kind: 'Park',
  metadata: { name },
  spec: { region: 'north', ...spec },
  ...more,
})

const objects: readonly [fact: string, object: object][] = [
  ['a small one gets its defaults', park('small', {})],
  [
    'texts with a form of their own are kept',
    park('forms', {
      budget: '1500m',
      gate: 'east',
      opened: '2026-01-02T03:04:05Z',
      every: '36h0m0s',
    }),
  ],
  ['a number where a text may stand', park('numbers', { gate: 80 })],
  [
    'defaults in items of a list',
    park('trees', { trees: [{ name: 'a' }, { name: 'a', sort: 'Ash', height: 12 }] }),
  ],
  ['a boolean that is always written', park('network', { network: { cidr: '10.0.0.0/8' } })],
  [
    'a struct inside itself',
    park('area', { area: { name: 'a', parts: [{ name: 'b', parts: [{ name: 'c' }] }] } }),
  ],
  ['whatever is written down', park('notes', { notes: { a: [1, { b: null }], c: 'd' } })],
  ['fields that nobody declared are dropped', park('dropped', { unknown: 1 })],
  ['a status is not taken from a new object', park('status', {}, { status: { gardeners: 3 } })],
  ['a required field is missing', { ...park('missing', {}), spec: {} }],
  ['a text is too short', park('short', { region: 'n' })],
  ['a number is out of its range', park('many', { gardeners: 51, slope: 1 })],
  [
    'a value is not among those of the enumeration',
    park('palm', { trees: [{ name: 'a', sort: 'Palm' }] }),
  ],
  [
    'two items have the same keys',
    park('twice', { trees: [{ name: 'a' }, { name: 'a', sort: 'Oak' }] }),
  ],
  ['an item stands twice in a set', park('set', { visitors: ['a', 'a'] })],
  ['a list is too long', park('long', { visitors: [...'abcdefghijk'] })],
  ['a rule of an item is broken', park('high', { trees: [{ name: 'a', height: 120 }] })],
  ['a rule of the whole object is broken', park('desert', {})],
  ['a name is no label', park('a.b', {})],
]

for (const [fact, object] of objects) {
  test(`${fact}: the definition gives what the compiled kind gives`, async (servers) => {
    const [ours, theirs] = await both(servers, 'POST', parks, object)
    assert.equal(theirs, ours)
  })
}

test('an amount that is none is refused by both', async (servers) => {
  const amount = park('amount', { budget: 'much' })
  const answers = await Promise.all(
    [servers.compiled, servers.defined].map(({ ask }) => ask('POST', parks, amount)),
  )
  assert.equal(
    answers.map(({ status }) => status),
    [400, 422],
  )
})

const updates: readonly [fact: string, before: object, after: object, status: number][] = [
  ['an immutable text changes', {}, { region: 'south' }, 422],
  [
    'an immutable text changes that may be absent',
    { network: { cidr: 'a' } },
    { network: { cidr: 'b' } },
    422,
  ],
  ['it goes', { network: { cidr: 'a' } }, { network: {} }, 422],
  ['it goes with what is around it', { network: { cidr: 'a' } }, {}, 422],
  ['it comes', {}, { network: { cidr: 'a' } }, 422],
  ['what is around it comes without it', {}, { network: { open: true } }, 200],
  [
    'other fields change',
    { network: { cidr: 'a' }, gardeners: 3 },
    { network: { cidr: 'a' }, gardeners: 4 },
    200,
  ],
]

for (const [index, [fact, before, after, status]] of updates.entries()) {
  test(`${fact}: both answer ${status}`, async (servers) => {
    const name = `update-${index}`
    const [ours, theirs] = await Promise.all(
      [servers.compiled, servers.defined].map(async ({ ask }) => {
        const created = await ask('POST', parks, park(name, before))
        const { resourceVersion } = created.json.metadata
        const changed = park(name, after, { metadata: { name, resourceVersion } })
        return comparable(await ask('PUT', `${parks}/${name}`, changed))
      }),
    )
    assert.equal(theirs, ours)
    assert.is((theirs as { status: number }).status, status)
  })
}

test('status and scale are the same subresources', async (servers) => {
  await both(servers, 'POST', parks, park('subresources', {}))
  const status = { status: { gardeners: 1, selector: 'a=b' } }
  const [ours, theirs] = await both(
    servers,
    'PATCH',
    `${parks}/subresources/status`,
    status,
    'application/merge-patch+json',
  )
  assert.equal(theirs, ours)
  const scaled = await both(servers, 'GET', `${parks}/subresources/scale`)
  assert.equal(scaled[1], scaled[0])
})

test('a path to a field with a name that is no identifier is escaped in its rule', async () => {
  const source = readFileSync(join(folder, 'parks.example.com/v1.yaml'), 'utf8')
    .replaceAll('region', 'in-region')
    .replace('cell: .spec.in-region', 'cell: .metadata.namespace')
  const { files } = await builtScheme({ 'parks/v1.yaml': source })
  const manifest = parse(files.get('definitions/parks.parks.example.com.yaml') ?? '')
  const { 'x-kubernetes-validations': rules } = manifest.spec.versions[0].schema.openAPIV3Schema
  assert.is(rules[1].rule, 'self.spec.in__dash__region == oldSelf.spec.in__dash__region')
})

const metadata = "metadata: { $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta' }"

/** A version of a kind Pond: further keywords of its block, and the name of the only field of its spec. */
function pond(version: string, block: string, field: string): string {
  const spec = `{ type: object, properties: { ${field}: { type: string } } }`
  return `group: ponds.example.com
version: ${version}
definitions:
  Pond:
    type: object
    x-orch-kind: { plural: ponds, ${block} }
    properties: { ${metadata}, spec: ${spec} }
`
}

test('versions that differ in more than their name are converted by the operator', async () => {
  const steps = '[{ rename: spec.old, to: spec.new }]'
  const { files } = await builtScheme({
    'ponds/v1beta1.yaml': pond('v1beta1', 'storedAs: ponds.example.com/v1', 'old'),
    'ponds/v1.yaml': pond(
      'v1',
      `conversion: { from: ponds.example.com/v1beta1, steps: ${steps} }`,
      'new',
    ),
  })
  const { spec } = parse(files.get('definitions/ponds.ponds.example.com.yaml') ?? '')
  const versions: readonly { name: string; storage: boolean }[] = spec.versions
  assert.equal(
    versions.map(({ name, storage }) => [name, storage]),
    [
      ['v1', true],
      ['v1beta1', false],
    ],
  )
  assert.equal(spec.conversion, {
    strategy: 'Webhook',
    webhook: {
      conversionReviewVersions: ['v1'],
      clientConfig: {
        service: { namespace: 'ponds-system', name: 'ponds-operator', path: '/convert' },
      },
    },
  })
})

test.run()
