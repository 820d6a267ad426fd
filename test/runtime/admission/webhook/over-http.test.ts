/** What a client of a listening server meets when a webhook does not answer as it should (Q-04 to Q-06, Q-10). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type HttpsServer,
  type RequestHandler,
  startHttpsServer,
} from '../../../support/https-server.ts'
import { configMap, type PolicyServer, startPolicyServer } from '../../../support/policies.ts'
import { answered, configuration, type Review } from '../../../support/webhooks.ts'

interface Plane extends PolicyServer {
  readonly hooks: HttpsServer
}

const test = suite<Plane>('runtime/admission/webhook: over HTTP')

test.before(async (context) => {
  const plane = await startPolicyServer({ on: false })
  Object.assign(context, plane, { hooks: await startHttpsServer(() => null) })
})
test.after(async ({ server, hooks }) => {
  await server.stop()
  await hooks.stop()
})

const maps = '/api/v1/namespaces/default/configmaps'
const sorts = ['validating', 'mutating'] as const
const collection = (sort: string) =>
  `/apis/admissionregistration.orch.io/v1/${sort}webhookconfigurations`

/** What a creation meets while a webhook answers in some way; the next one, without the webhook, passes. */
async function met(
  { ask, hooks }: Plane,
  sort: (typeof sorts)[number],
  answer: RequestHandler,
  fields: Readonly<Record<string, unknown>> = {},
) {
  hooks.answer(answer)
  const timeoutSeconds = answer === silence ? 1 : 30
  const body = configuration({ server: hooks }, 'bad', { timeoutSeconds, ...fields })
  const made = await ask('POST', collection(sort), body)
  assert.is(made.status, 201, made.message)
  const reply = await ask('POST', maps, configMap('met'))
  assert.is((await ask('DELETE', `${collection(sort)}/bad`)).status, 200)
  const after = await ask('POST', maps, configMap('after'))
  assert.is(after.status, 201, after.message)
  for (const name of ['met', 'after']) await ask('DELETE', `${maps}/${name}`)
  return reply
}

const silence: RequestHandler = () => undefined

type Response = Readonly<Record<string, unknown>>

const says =
  (response: Response): RequestHandler =>
  (review: Review) =>
    answered(review, { allowed: true, ...response })
const sends =
  (text: string, code = 200): RequestHandler =>
  (_, { response }) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end(text)

const failures: readonly (readonly [what: string, answer: RequestHandler, why: RegExp])[] = [
  [
    'bytes that are no JSON',
    sends('\u0000\u00ff garbage'),
    /couldn't get version\/kind; json parse/,
  ],
  ['JSON that is no review', sends('[1, 2]'), /json: cannot unmarshal array into Go value/],
  ['prototypes', sends('{"__proto__": {"response": {"allowed": true}}}'), /response was absent/],
  [
    'a failure of its own',
    sends('broken', 500),
    /an error on the server \("broken"\) has prevented/,
  ],
  ['nothing before its time is over', silence, /context deadline exceeded$/],
  ['an end of the connection', (_, { request }) => void request.socket.destroy(), /: EOF$/],
  [
    "another question's uid",
    says({ uid: 'other' }),
    /expected response.uid="[-0-9a-f]{36}", got "other"/,
  ],
  [
    'a patch that is no base64',
    says({ patch: '%%', patchType: 'JSONPatch' }),
    /illegal base64 data/,
  ],
]

for (const sort of sorts) {
  for (const [what, answer, why] of failures) {
    test(`${sort}: an answer of ${what} fails the request, and that one only`, async (plane) => {
      const { status, reason, message, json } = await met(plane, sort, answer)
      assert.is(status, 500, message)
      assert.is(reason, 'InternalError')
      const start = 'Internal error occurred: failed calling webhook "bad.example.com": '
      assert.ok(message.startsWith(start), message)
      assert.match(message, why)
      const { causes } = json.details as { causes: readonly { readonly message: string }[] }
      assert.is(`Internal error occurred: ${causes[0]?.message}`, message)
    })

    test(`${sort}: an answer of ${what} lets the request pass where failures are ignored`, async (plane) => {
      const { status, message } = await met(plane, sort, answer, { failurePolicy: 'Ignore' })
      assert.is(status, 201, message)
    })
  }
}

/** Refusals as a webhook words them, and as they arrive. */
const refusals: readonly (readonly [
  status: object | undefined,
  code: number,
  reason: string,
  text: string,
])[] = [
  [undefined, 400, '', ' without explanation'],
  [{ message: 'no' }, 400, '', ': no'],
  [{ code: 200, message: 'no' }, 400, '', ': no'],
  [{ code: 403, reason: 'Forbidden' }, 403, 'Forbidden', ': Forbidden'],
  [{ code: 418, reason: 'Teapot', message: 'short' }, 418, '', ': short'],
  [{ code: 9999, message: 7, reason: [] }, 400, '', ' without explanation'],
]

for (const sort of sorts) {
  for (const [given, code, reason, text] of refusals) {
    test(`${sort}: a refusal of ${JSON.stringify(given)} is one of ${code}`, async (plane) => {
      const answer = says({ allowed: false, ...(given && { status: given }) })
      const reply = await met(plane, sort, answer)
      assert.is(reply.status, code)
      assert.is(reply.reason, reason)
      assert.is(reply.message, `admission webhook "bad.example.com" denied the request${text}`)
    })
  }
}

test('only true allows', async (plane) => {
  for (const [allowed, status] of [
    [1, 500],
    ['true', 500],
    [null, 400],
    [undefined, 400],
  ] as const) {
    assert.is((await met(plane, 'validating', says({ allowed }))).status, status)
  }
})

test('warnings are headers, as many and as long as clients can take', async (plane) => {
  const warnings = ['first', 'first', '', 'with "quotes" and\nlines', 'x'.repeat(10_000)]
  const reply = await met(plane, 'validating', says({ warnings }))
  assert.is(reply.status, 201)
  assert.is(reply.warnings[0], 'first')
  assert.is(reply.warnings.length, 3)
  assert.ok(reply.warnings.every((text) => text.length <= 4096 && !text.includes('\n')))
  const many = Array.from({ length: 5000 }, (_, index) => `warning ${index}`)
  const told = (await met(plane, 'validating', says({ warnings: many }))).warnings
  assert.ok(told.length > 0 && told.length <= 100, `${told.length}`)
})

for (const [written, called] of [
  ['', '/'],
  ['//failing', '/failing'],
  ['/a//b/', '/a/b'],
  ['/a/./../b', '/b'],
  ['/a%2Fb', '/a/b'],
] as const) {
  test(`a webhook at the path "${written}" is called at ${called}, and told who calls`, async (plane) => {
    const { hooks } = plane
    const seen: (string | undefined)[] = []
    const answer: RequestHandler = (review: Review, { path, request }) => {
      seen.push(path.split('?')[0], request.headers['user-agent'], request.headers.accept)
      return answered(review, { allowed: true })
    }
    const clientConfig = { url: `${hooks.url}${written}`, caBundle: hooks.caBundle }
    assert.is((await met(plane, 'validating', answer, { clientConfig })).status, 201)
    assert.equal(seen, [called, 'orch-apiserver-admission', 'application/json, */*'])
  })
}

test.run()
