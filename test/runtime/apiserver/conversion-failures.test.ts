/** What becomes of answers to conversions that are none, and of definitions whose webhook nobody could ask. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Clock, systemClock } from '../../../runtime/kernel/async/clock.ts'
import {
  at,
  type Converting,
  faithful,
  inVersion,
  type Review,
  review,
  serverDefinition,
  startConverting,
  versionsOf,
} from '../../support/converting.ts'
import {
  type Answer,
  type CustomServer,
  definition,
  definitionsPath,
} from '../../support/custom.ts'
import type { HttpsServer } from '../../support/https-server.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: conversions that fail')

/** Timers of half a minute, which conversions wait, ring at once when this is set. */
let hurried = false
const clock: Clock = {
  ...systemClock,
  after: (ms: number, ring: () => void) =>
    systemClock.after(hurried && ms === 30_000 ? 20 : ms, ring),
}

let custom: CustomServer
let hook: HttpsServer
let make: Converting['make']
let stop: Converting['stop']
test.before(async () => {
  ;({ custom, hook, make, stop } = await startConverting(clock))
})
test.after(() => stop())
test.before.each(() => hook.answer(faithful))

const failed = 'conversion webhook for example.com/v1, Kind=Server failed: '
const returned = 'conversion webhook for example.com/v1, Kind=Server returned '

const lies: readonly (readonly [string, (question: Review) => unknown, string | RegExp])[] = [
  ['nothing', () => ({}), /failed: expected webhook response of apiextensions.orch.io\/v1/],
  [
    'no response',
    ({ kind, apiVersion }) => ({ kind, apiVersion }),
    `${failed}no response provided`,
  ],
  [
    'the answer to another question',
    (question) => review(question, { uid: 'other' }),
    /failed: expected response.uid="[0-9a-f-]{36}", got "other"$/,
  ],
  [
    'an older form',
    (question) => ({ ...review(question), apiVersion: 'apiextensions.orch.io/v1beta1' }),
    `${failed}expected webhook response of apiextensions.orch.io/v1, Kind=ConversionReview, got apiextensions.orch.io/v1beta1, Kind=ConversionReview`,
  ],
  [
    'too few objects',
    (question) => review(question, { convertedObjects: [] }),
    `${returned}0 objects, expected 1`,
  ],
  [
    'another version',
    (question) => review(question, { convertedObjects: question.request.objects }),
    `${returned}invalid converted object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
  ],
  [
    'another kind',
    (question) => review(question, changed(question, { kind: 'Other' })),
    `${returned}invalid converted object at index 0: invalid kind (expected Server, received Other)`,
  ],
  [
    'another object',
    (question) => review(question, changed(question, { metadata: { name: 'x' } })),
    `${returned}invalid converted object at index 0: must have the same name: NAME != x`,
  ],
  [
    'no metadata',
    (question) => review(question, changed(question, { metadata: undefined })),
    `${returned}invalid metadata in object at index 0: missing metadata in converted object`,
  ],
  [
    'a label that is none',
    (question) => {
      const [{ metadata } = { metadata: {} }] = question.request.objects
      return review(
        question,
        changed(question, { metadata: { ...metadata, labels: { a: 'b c' } } }),
      )
    },
    /returned invalid metadata in object at index 0: metadata.labels: Invalid value: "a": a valid label must/,
  ],
  [
    'texts in the place of objects',
    (question) => review(question, { convertedObjects: ['x'] }),
    `${returned}invalid converted object at index 0: it is no object`,
  ],
  [
    'a refusal with its reason',
    (question) => review(question, { result: { status: 'Failure', message: 'cannot do v2' } }),
    `${failed}cannot do v2`,
  ],
  [
    'a refusal without one',
    (question) => review(question, { result: { status: 'Failure' } }),
    `${failed}response.result.status was 'Failure', not 'Success'`,
  ],
]

function changed({ request }: Review, fields: object): object {
  const convertedObjects = request.objects.map((one) => ({
    ...inVersion(one, request.desiredAPIVersion),
    ...fields,
  }))
  return { convertedObjects }
}

for (const [index, [name, answer, text]] of lies.entries()) {
  test(`answered with ${name}: 500, and right again afterwards (C-20)`, async () => {
    const object = `lied-${index}`
    await make(object)
    hook.answer(answer)
    const { status, json } = await custom.ask('GET', at('v2', object))
    assert.is(status, 500)
    assert.is(json.reason, undefined)
    if (typeof text === 'string') assert.is(json.message, text.replace('NAME', object))
    else assert.match(json.message, text)
    assert.is((await custom.ask('GET', at('v1', object))).status, 200)
    hook.answer(faithful)
    assert.is((await custom.ask('GET', at('v2', object))).status, 200)
  })
}

async function failing(name: string): Promise<Answer> {
  const answer = await custom.ask('GET', at('v2', name))
  assert.is(answer.status, 500)
  assert.match(answer.json.message, failed)
  return answer
}

test('garbage, an error and silence are failures, and nothing else suffers (C-20)', async () => {
  await make('silent')
  hook.answer((_, { response }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"kind":')
  })
  assert.match((await failing('silent')).json.message, 'json parse error')
  hook.answer((_, { response }) => {
    response.writeHead(500).end('broken')
  })
  assert.match((await failing('silent')).json.message, 'broken')
  hook.answer(() => undefined)
  hurried = true
  assert.match((await failing('silent')).json.message, 'context deadline exceeded')
  hurried = false
  const list = await custom.ask('GET', at('v1'))
  assert.is(list.status, 200)
})

test('a create that cannot be converted for the store is refused and leaves nothing (C-20)', async () => {
  hook.answer((question: Review) => review(question, { convertedObjects: [] }))
  const body = { metadata: { name: 'lost' }, spec: { host: 'b', port: 81 } }
  const { status, json } = await custom.ask('POST', at('v2'), body)
  assert.is(status, 500)
  assert.is(
    json.message,
    'conversion webhook for example.com/v2, Kind=Server returned 0 objects, expected 1',
  )
  assert.is((await custom.ask('GET', at('v1', 'lost'))).status, 404)
})

test('a watch whose changes cannot be converted ends with the reason (C-20)', async () => {
  await custom.ask('GET', at('v2'))
  const path = `${at('v2')}?watch=true&fieldSelector=metadata.name%3Dunseen`
  const watch = await fetch(custom.server.url + path)
  hook.answer((question: Review) => review(question, { convertedObjects: [] }))
  await make('unseen')
  const last = JSON.parse((await watch.text()).trim().split('\n').at(-1) ?? '')
  assert.is(last.type, 'ERROR')
  assert.match(last.object.message, 'returned 0 objects, expected 1')
})

const addresses: readonly (readonly [string, object | undefined, readonly string[]])[] = [
  [
    'no webhook',
    undefined,
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
  ],
  [
    'two places',
    {
      clientConfig: { url: 'https://a.example', service: { name: 'a', namespace: 'b' } },
      conversionReviewVersions: ['v1'],
    },
    [
      'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
    ],
  ],
  [
    'a place without safety',
    { clientConfig: { url: 'http://a.example/x?y=z' }, conversionReviewVersions: ['v1'] },
    [
      `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'spec.conversion.webhookClientConfig.url: Invalid value: "y=z": query parameters are not permitted in the URL',
    ],
  ],
  [
    'forms that nobody knows',
    { clientConfig: { url: 'https://a.example' }, conversionReviewVersions: ['v7', 'v7'] },
    [
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v7": duplicate version',
      'spec.conversion.conversionReviewVersions: Invalid value: []string{"v7", "v7"}: must include at least one of v1, v1beta1',
    ],
  ],
]

for (const [name, webhook, texts] of addresses) {
  test(`refused: a conversion with ${name} (C-01)`, async () => {
    const spec = {
      versions: versionsOf('v1'),
      conversion: { strategy: 'Webhook', ...(webhook && { webhook }) },
    }
    const { status, json } = await custom.ask(
      'POST',
      definitionsPath,
      definition('Wrong', {}, { spec }),
    )
    assert.is(status, 422)
    const told = json.details.causes.map(
      ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
    )
    assert.equal(told, texts)
  })
}

test('a definition whose webhook is gone can still be deleted with its objects', async () => {
  await custom.define(serverDefinition(hook, 'Orphaned'))
  const body = { metadata: { name: 'a' }, spec: { address: 'a:1' } }
  await custom.ask('POST', at('v1', '', 'Orphaned'), body)
  hook.answer((question: Review) => review(question, { convertedObjects: [] }))
  const path = `${definitionsPath}/orphaneds.example.com`
  await custom.ask('DELETE', path)
  await until('it is gone', async () => (await custom.ask('GET', path)).status === 404)
})

test.run()
