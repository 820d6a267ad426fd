/** Versions that a real HTTPS server converts: what clients of each see. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  at,
  type Converting,
  faithful,
  inVersion,
  type Review,
  review,
  serverDefinition,
  startConverting,
  type Versioned,
  versionsOf,
} from '../../support/converting.ts'
import { type CustomServer, definitionsPath } from '../../support/custom.ts'
import { type HttpsServer, startHttpsServer } from '../../support/https-server.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: conversion by a webhook')

let custom: CustomServer
let hook: HttpsServer
let make: Converting['make']
let stop: Converting['stop']
test.before(async () => {
  ;({ custom, hook, make, stop } = await startConverting())
})
test.after(() => stop())
test.before.each(() => hook.answer(faithful))

const merge = 'application/merge-patch+json'

test('an object is read in each version, and stored in one (C-20, C-21)', async () => {
  await make('one', 'host.example:8080')
  const { json } = await custom.ask('GET', at('v2', 'one'))
  assert.is(json.apiVersion, 'example.com/v2')
  assert.equal(json.spec, { host: 'host.example', port: 8080, weight: 1 })
  const before = hook.bodies.length
  await custom.ask('GET', at('v1', 'one'))
  await custom.ask('GET', at('v2', 'one'))
  assert.is(hook.bodies.length, before, 'what is known is not asked again')
})

test('the question is a review with a uid, the version and the objects (C-20)', async () => {
  await make('asked')
  await custom.ask('GET', at('v2', 'asked'))
  const question = hook.bodies.at(-1) as Review
  assert.is(question.apiVersion, 'apiextensions.orch.io/v1')
  assert.is(question.kind, 'ConversionReview')
  assert.match(question.request.uid, /^[0-9a-f-]{36}$/)
  assert.is(question.request.desiredAPIVersion, 'example.com/v2')
  const [object] = question.request.objects
  assert.is(object?.apiVersion, 'example.com/v1')
  assert.is(object?.metadata.name, 'asked')
  assert.equal(object?.spec, { address: 'a:80' })
})

test('a list is converted in one question, and keeps its order (C-20)', async () => {
  for (const name of ['l1', 'l2', 'l3', 'l4']) await make(name, `${name}:1`)
  const before = hook.bodies.length
  const { json } = await custom.ask('GET', at('v2'))
  assert.is(hook.bodies.length, before + 1)
  const hosts = json.items.map(({ metadata, spec }: Versioned) => [metadata.name, spec?.host])
  for (const name of ['l1', 'l2', 'l3', 'l4']) {
    assert.ok(hosts.some(([one, host]: [string, string]) => one === name && host === name))
  }
  const recent = await custom.ask('GET', `${at('v2')}?resourceVersion=0`)
  assert.equal(recent.json.items, json.items)
  const table = await custom.ask('GET', at('v2'), undefined, tableType)
  assert.is(table.json.rows.length, json.items.length)
})

const tableType = 'application/json;as=Table;v=v1;g=meta.orch.io'

test('an object is created, updated, patched and applied in the version that is not stored (C-21)', async () => {
  const body = { metadata: { name: 'new' }, spec: { host: 'b', port: 81, note: 'n' } }
  const created = await custom.ask('POST', at('v2'), body)
  assert.is(created.status, 201, created.text)
  assert.is(created.json.spec.port, 81)
  const stored = await custom.ask('GET', at('v1', 'new'))
  assert.equal(stored.json.spec, { address: 'b:81', note: 'n' })
  assert.is(stored.json.metadata.generation, 1)
  const { metadata } = created.json
  const put = await custom.ask('PUT', at('v2', 'new'), {
    metadata: { name: 'new', resourceVersion: metadata.resourceVersion },
    spec: { host: 'c', port: 82 },
  })
  assert.is(put.status, 200, put.text)
  const patched = await custom.ask('PATCH', at('v2', 'new'), { spec: { port: 83 } }, merge)
  assert.is(patched.status, 200, patched.text)
  assert.is((await custom.ask('GET', at('v1', 'new'))).json.spec.address, 'c:83')
  const applied = await custom.ask(
    'PATCH',
    `${at('v2', 'new')}?fieldManager=me&force=true`,
    { apiVersion: 'example.com/v2', kind: 'Server', spec: { port: 84, note: 'x' } },
    'application/apply-patch+yaml',
  )
  assert.is(applied.status, 200, applied.text)
  const last = (await custom.ask('GET', at('v1', 'new'))).json
  assert.equal(last.spec, { address: 'c:84', note: 'x' })
})

test('a write that changes nothing in its version is no write (C-21)', async () => {
  await make('same', 'd:90')
  const before = (await custom.ask('GET', at('v2', 'same'))).json
  const again = await custom.ask('PATCH', at('v2', 'same'), { spec: { port: 90 } }, merge)
  assert.is(again.json.metadata.resourceVersion, before.metadata.resourceVersion)
})

test('who owns a field in one version is asked about it in another (C-20, A2.31)', async () => {
  const apply = (version: string, manager: string, spec: object, force = '') =>
    custom.ask(
      'PATCH',
      `${at(version, 'owned')}?fieldManager=${manager}${force}`,
      { apiVersion: `example.com/${version}`, kind: 'Server', spec },
      'application/apply-patch+yaml',
    )
  assert.is((await apply('v1', 'old', { address: 'e:1' })).status, 201)
  const noted = await apply('v2', 'other', { note: 'mine' })
  assert.is(noted.status, 200, noted.text)
  const forced = await apply('v2', 'new', { host: 'f', port: 2 }, '&force=true')
  assert.is(forced.status, 200, forced.text)
  const managers = forced.json.metadata.managedFields.map((one: { manager: string }) => one.manager)
  assert.not.ok(managers.includes('old'), 'its only field has changed hands')
  assert.ok(managers.includes('other'))
  assert.is((await custom.ask('GET', at('v1', 'owned'))).json.spec.address, 'f:2')
})

const selecting = (name: string): string => `fieldSelector=metadata.name%3D${name}`

/** The first lines of a watch, which then is left. */
async function linesOf(watch: Response, count: number): Promise<readonly string[]> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of watch.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.split('\n').length > count) break
  }
  return text.split('\n').slice(0, count)
}

test('a watch shows changes in its version (C-20)', async () => {
  const watch = await fetch(`${custom.server.url}${at('v2')}?watch=true&${selecting('seen')}`)
  await make('seen', 'g:1')
  await custom.ask('PATCH', at('v1', 'seen'), { spec: { address: 'g:2' } }, merge)
  await custom.ask('DELETE', at('v1', 'seen'))
  const events = (await linesOf(watch, 3)).map(
    (line) => JSON.parse(line) as { type: string; object: Versioned },
  )
  assert.equal(
    events.map(({ type, object }) => [type, object.apiVersion, object.spec?.port]),
    [
      ['ADDED', 'example.com/v2', 1],
      ['MODIFIED', 'example.com/v2', 2],
      ['DELETED', 'example.com/v2', 2],
    ],
  )
})

test('many watchers ask once for a change (C-20)', async () => {
  const path = `${custom.server.url}${at('v2')}?watch=true&${selecting('many')}`
  const watches = await Promise.all(Array.from({ length: 20 }, () => fetch(path)))
  await custom.ask('GET', at('v2'))
  const before = hook.bodies.length
  await make('many')
  const texts = await Promise.all(watches.map((watch) => linesOf(watch, 1)))
  assert.ok(texts.every(([text]) => text?.includes('"port":80')))
  assert.is(hook.bodies.length, before + 1)
})

test('labels and annotations may change with the version, the rest of the metadata does not (C-20)', async () => {
  await make('labelled')
  hook.answer((question: Review) => {
    const convertedObjects = question.request.objects.map((one) => ({
      ...inVersion(one, question.request.desiredAPIVersion),
      metadata: {
        name: one.metadata.name,
        namespace: one.metadata.namespace,
        uid: one.metadata.uid,
        labels: { moved: 'yes' },
        finalizers: ['example.com/sneaky'],
        resourceVersion: '1',
      },
    }))
    return review(question, { convertedObjects })
  })
  const { json } = await custom.ask('GET', at('v2', 'labelled'))
  assert.equal(json.metadata.labels, { moved: 'yes' })
  assert.is(json.metadata.finalizers, undefined)
  assert.not.equal(json.metadata.resourceVersion, '1')
  assert.ok(json.metadata.creationTimestamp)
})

test('the older form of the question is asked where only it is understood (C-20)', async () => {
  await custom.define(serverDefinition(hook, 'Elder', ['v9', 'v1beta1']))
  const body = { metadata: { name: 'a' }, spec: { address: 'a:1' } }
  await custom.ask('POST', at('v1', '', 'Elder'), body)
  const { json } = await custom.ask('GET', at('v2', 'a', 'Elder'))
  assert.is(json.spec.port, 1)
  assert.is((hook.bodies.at(-1) as Review).apiVersion, 'apiextensions.orch.io/v1beta1')
})

test('when another version is stored, old objects are converted, and stay known to the status (C-01, C-20, C-21)', async () => {
  await custom.define(serverDefinition(hook, 'Moved'))
  const body = { metadata: { name: 'old' }, spec: { address: 'h:7' } }
  await custom.ask('POST', at('v1', '', 'Moved'), body)
  const path = `${definitionsPath}/moveds.example.com`
  const moved = await custom.ask('PATCH', path, { spec: { versions: versionsOf('v2') } }, merge)
  assert.is(moved.status, 200, moved.text)
  assert.equal(moved.json.status.storedVersions, ['v1', 'v2'])
  await until('the new version is stored', async () => {
    const made = await custom.ask('POST', at('v2', '', 'Moved'), {
      metadata: { generateName: 'n-' },
      spec: { host: 'i', port: 8 },
    })
    const before = hook.bodies.length
    await custom.ask('GET', at('v2', made.json.metadata.name, 'Moved'))
    return hook.bodies.length === before
  })
  for (const [version, spec] of [
    ['v1', { address: 'h:7' }],
    ['v2', { host: 'h', port: 7, weight: 1 }],
  ] as const) {
    const { json } = await custom.ask('GET', at(version, 'old', 'Moved'))
    assert.equal(json.spec, spec)
  }
  const without = await custom.ask(
    'PATCH',
    path,
    { spec: { versions: [versionsOf('v2')[1]] } },
    merge,
  )
  assert.is(without.status, 422)
  assert.match(
    without.json.message,
    'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
  )
  const old = (await custom.ask('GET', at('v2', 'old', 'Moved'))).json
  const rewritten = await custom.ask('PUT', at('v2', 'old', 'Moved'), old)
  assert.not.equal(rewritten.json.metadata.resourceVersion, old.metadata.resourceVersion)
})

test('a webhook of admission that asks for another version gets the object in it (C-20, Q-07)', async () => {
  const asked: { readonly kind: string; readonly object: Versioned }[] = []
  const admission = await startHttpsServer(
    ({ request, ...review }: { request: { uid: string; kind: object; object: Versioned } }) => {
      asked.push({ kind: JSON.stringify(request.kind), object: request.object })
      const patch = [{ op: 'add', path: '/spec/note', value: 'from v2' }]
      const response = {
        uid: request.uid,
        allowed: true,
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
      }
      return { ...review, response }
    },
  )
  const path = '/apis/admissionregistration.orch.io/v1/mutatingwebhookconfigurations'
  const webhook = {
    name: 'notes.example.com',
    clientConfig: { url: `${admission.url}/notes`, caBundle: admission.caBundle },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    rules: [
      {
        apiGroups: ['example.com'],
        apiVersions: ['v2'],
        resources: ['servers'],
        operations: ['CREATE'],
      },
    ],
  }
  const made = await custom.ask('POST', path, { metadata: { name: 'notes' }, webhooks: [webhook] })
  assert.is(made.status, 201, made.text)
  try {
    const { json } = await until('the webhook is asked', async () => {
      const answer = await custom.ask('POST', at('v1'), {
        metadata: { generateName: 'noted-' },
        spec: { address: 'z:9' },
      })
      return answer.json.spec.note !== undefined && answer
    })
    assert.equal(json.spec, { address: 'z:9', note: 'from v2' })
    const [{ kind, object } = { kind: '', object: undefined }] = asked
    assert.is(kind, '{"group":"example.com","version":"v2","kind":"Server"}')
    assert.equal(object?.spec, { host: 'z', port: 9, weight: 1 })
  } finally {
    await custom.ask('DELETE', `${path}/notes`)
    await admission.stop()
  }
})

test('an emptied namespace and a deleted definition ask nobody to convert what goes (C-20)', async () => {
  const kind = 'Doomed'
  const made = serverDefinition(hook, kind)
  await custom.define(made)
  await custom.ask('POST', '/api/v1/namespaces', { metadata: { name: 'doomed' } })
  const collection = '/apis/example.com/v1/namespaces/doomed/doomeds'
  const kept = { name: 'kept', finalizers: ['example.com/held'] }
  for (const metadata of [{ name: 'goes' }, kept]) {
    const { status } = await custom.ask('POST', collection, { metadata, spec: { address: 'a:80' } })
    assert.is(status, 201)
  }
  const own = `${definitionsPath}/${made.metadata.name}`
  await custom.ask('PATCH', own, { spec: { versions: versionsOf('v2') } }, merge)
  const before = hook.bodies.length
  await custom.ask('DELETE', '/api/v1/namespaces/doomed')
  await until('what can go is gone', async () => {
    const { json } = await custom.ask('GET', '/api/v1/namespaces/doomed')
    const conditions: readonly Readonly<Record<string, string>>[] = json.status.conditions ?? []
    return conditions.some(
      ({ type, message = '' }) =>
        type === 'NamespaceContentRemaining' &&
        message === 'Some resources are remaining: doomeds.example.com has 1 resource instances',
    )
  })
  assert.is(hook.bodies.length, before, 'nobody was asked')
  const { json } = await custom.ask('GET', `${collection}/kept`)
  assert.equal(json.spec, { address: 'a:80' }, 'what stays is what it was')
  assert.ok(json.metadata.deletionTimestamp)
  const free = { metadata: { finalizers: null } }
  await custom.ask('PATCH', `${collection}/kept`, free, merge)
  await until('the namespace is gone', async () => {
    return (await custom.ask('GET', '/api/v1/namespaces/doomed')).status === 404
  })
  await custom.ask('DELETE', own)
  await until('the definition is gone', async () => (await custom.ask('GET', own)).status === 404)
})

test.run()
