/** Webhooks that cannot be asked, or give answers that are none: exact words, and a server that goes on. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { make, openAdmitted } from '../../../support/admission.ts'
import { createAuthority } from '../../../support/authority.ts'
import { fakeClock } from '../../../support/clock.ts'
import {
  type HttpsServerOptions,
  type RequestHandler,
  startHttpsServer,
} from '../../../support/https-server.ts'
import { kindAt, type OpenRegistry } from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'
import { until } from '../../../support/until.ts'
import {
  answered,
  configuration,
  configurations,
  openWithWebhooks,
  type RegistryWithWebhooks,
  type Review,
  withHooks,
} from '../../../support/webhooks.ts'

const test = suite<RegistryWithWebhooks>('runtime/admission/webhook: failure')

test.before(async (context) => {
  Object.assign(context, await openWithWebhooks())
})
test.after(({ close }) => close())

const maps = 'api/v1/configmaps'
let next = 0
const map = () => ({ metadata: { name: `m${next++}` } })

const start = 'Internal error occurred: failed calling webhook "bad.example.com": '
const invalid = `${start}received invalid webhook response: `

type Answer = (review: Review) => unknown

const says =
  (response: object): Answer =>
  (review) =>
    answered(review, { allowed: true, ...response })

const patch = Buffer.from('[]').toString('base64')

/** Answers in the right form that mean nothing, by whether the webhook is a mutating one. */
const answers: readonly [string, boolean, Answer, string | RegExp][] = [
  ['nothing', false, () => null, 'webhook response was absent'],
  [
    'no response',
    false,
    ({ apiVersion, kind }) => ({ apiVersion, kind }),
    'webhook response was absent',
  ],
  ['another uid', false, says({ uid: 'x' }), /^expected response.uid="[-0-9a-f]{36}", got "x"$/],
  ['no uid', false, says({ uid: undefined }), /^expected response.uid="[-0-9a-f]{36}", got ""$/],
  [
    'no kind',
    false,
    (review) => ({ ...answered(review, { allowed: true }), kind: '' }),
    'expected webhook response of admission.orch.io/v1, Kind=AdmissionReview, got admission.orch.io/v1, Kind=',
  ],
  ['a patch', false, says({ patch }), 'validating webhook may not return response.patch'],
  [
    'a type of patch',
    false,
    says({ patchType: 'JSONPatch' }),
    'validating webhook may not return response.patchType',
  ],
  [
    'a patch without a type',
    true,
    says({ patch }),
    'webhook returned response.patch but not response.patchType',
  ],
  [
    'a type without a patch',
    true,
    says({ patchType: 'JSONPatch' }),
    'webhook returned response.patchType but not response.patch',
  ],
]

for (const [what, mutating, answer, why] of answers) {
  test(`an answer of ${what} is none (Q-04, Q-06)`, async (opened) => {
    const hook = { name: 'bad', answer, ...(mutating && { mutating }) }
    await withHooks(opened, [hook], async () => {
      const error = await assertRejects(make(opened, maps, map()), 'InternalError')
      assert.is(error.code, 500)
      assert.ok(error.message.startsWith(invalid), error.message)
      const said = error.message.slice(invalid.length)
      if (typeof why === 'string') assert.is(said, why)
      else assert.match(said, why)
    })
    await make(opened, maps, map())
  })
}

/** Registers a webhook at a server of its own, which answers badly, and gives what a request then meets. */
async function meeting(
  opened: OpenRegistry,
  answer: RequestHandler,
  options: HttpsServerOptions = {},
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const server = await startHttpsServer(answer, options)
  const path = configurations('validating')
  try {
    await make(opened, path, configuration({ server }, 'bad', fields))
    const error = await assertRejects(make(opened, maps, map()), 'InternalError')
    return error.message.replaceAll(server.url, 'https://here').replaceAll(`:${server.port}`, ':0')
  } finally {
    await opened.registry.delete({ kind: kindAt(path), name: 'bad' }, { dryRun: false })
    await server.stop()
    await make(opened, maps, map())
  }
}

const failed = `${start}failed to call webhook: `
const posted = `${failed}Post "https://here/bad?timeout=10s": `

const unread = `${failed}unexpected error when reading response body. Please retry. Original error: `

const written =
  (code: number, text: string, headers: Readonly<Record<string, string>> = {}): RequestHandler =>
  (_, { response }) => {
    response.writeHead(code, headers).end(text)
  }

const replies: readonly [string, RequestHandler, string][] = [
  [
    'garbage',
    written(200, '<html>'),
    `${failed}couldn't get version/kind; json parse error: line 1, column 1: expected a value`,
  ],
  [
    'half a text',
    written(200, '{"response":'),
    `${failed}couldn't get version/kind; json parse error: line 1, column 13: unexpected end`,
  ],
  [
    'an empty body',
    written(200, ''),
    `${failed}0-length response with status code: 200 and content type: application/json`,
  ],
  [
    'a list',
    written(200, '[]'),
    `${failed}couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  ],
  [
    'another kind',
    written(200, '{"apiVersion":"admission.orch.io/v1","kind":"Other"}'),
    `${failed}no kind "Other" is registered for version "admission.orch.io/v1" in scheme "pkg/runtime/scheme.go:100"`,
  ],
  [
    'another version',
    written(200, '{"apiVersion":"admission.orch.io/v1beta1","kind":"AdmissionReview"}'),
    `${failed}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
  ],
  [
    'a permission that is a text',
    written(200, '{"response":{"allowed":"yes"}}'),
    `${failed}json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
  ],
  [
    'a warning that is a number',
    written(200, '{"response":{"allowed":true,"warnings":["a",1]}}'),
    `${failed}json: cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string`,
  ],
  [
    'a patch that is no base64',
    written(200, '{"response":{"allowed":true,"patch":"W10*"}}'),
    `${failed}illegal base64 data at input byte 3`,
  ],
  [
    'a failure',
    written(500, 'it broke\n', { 'content-type': 'text/plain' }),
    `${failed}an error on the server ("it broke") has prevented the request from succeeding`,
  ],
  [
    'a failure without words',
    written(502, ''),
    `${failed}an error on the server ("unknown") has prevented the request from succeeding`,
  ],
  ['no such page', written(404, 'x'), `${failed}the server could not find the requested resource`],
  [
    'another place',
    written(302, '', { location: 'https://example.com/' }),
    `${failed}the server responded with the status code 302 but did not return more information`,
  ],
  [
    'a teapot',
    written(418, ''),
    `${failed}the server responded with the status code 418 but did not return more information`,
  ],
  ['a conflict', written(409, ''), `${failed}the server reported a conflict`],
  ['not now', written(503, ''), `${failed}the server is currently unable to handle the request`],
  ['an end', (_, { request }) => void request.socket.destroy(), `${posted}EOF`],
  [
    'an end in the middle',
    (_, { response }) => {
      response.writeHead(200, { 'content-length': '100' }).write('{', () => {
        response.socket?.destroy()
      })
    },
    `${unread}unexpected EOF`,
  ],
  [
    'more than anybody wants to read',
    (_, { response }) => {
      const part = Buffer.alloc(1024 * 1024, ' ')
      const more = (): void => {
        if (response.destroyed) return
        response.write(part, more)
      }
      more()
    },
    `${unread}the answer is larger than 3145728 bytes`,
  ],
  [
    'a bomb',
    written(200, '['.repeat(100_000)),
    `${failed}couldn't get version/kind; json parse error: line 1, column 1001: nested more than 1000 levels deep`,
  ],
]

for (const [what, answer, message] of replies) {
  test(`a webhook that answers ${what} fails the request in these words (Q-06)`, async (opened) => {
    assert.is(await meeting(opened, answer), message)
  })
}

const good: RequestHandler = (review: Review) => answered(review, { allowed: true })
const x509 = 'tls: failed to verify certificate: x509: '

test('a webhook shows a certificate of the authority that was named (Q-09)', async (opened) => {
  const authority = createAuthority()
  const certificate = createAuthority('someone else').issue(['localhost'])
  const stranger = await meeting(opened, good, { authority, certificate })
  assert.is(stranger, `${posted}${x509}certificate signed by unknown authority`)
  const expired = authority.issue(['localhost'], { expired: true })
  assert.match(
    await meeting(opened, good, { authority, certificate: expired }),
    `${posted}${x509}certificate has expired or is not yet valid`,
  )
  const elsewhere = authority.issue(['example.com'], { local: false })
  assert.is(
    await meeting(opened, good, { authority, certificate: elsewhere }),
    `${posted}${x509}cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
  )
})

test('a webhook behind a service shows the name of the service (Q-09)', async () => {
  const authority = createAuthority()
  const names = ['hook.tools.svc']
  const certificate = authority.issue(names, { local: false })
  const server = await startHttpsServer(good, { authority, certificate })
  const asked: unknown[] = []
  const opened = await openAdmitted({
    resolve: async (namespace, name, port) => {
      asked.push([namespace, name, port])
      if (name === 'nowhere') throw new Error(`service "${name}" not found`)
      return { host: '127.0.0.1', port: server.port }
    },
  })
  const path = configurations('validating')
  const clientConfig = (name: string) => ({
    service: { namespace: 'tools', name, path: '/check' },
    caBundle: server.caBundle,
  })
  await make(
    opened,
    path,
    configuration({ server }, 'good', { clientConfig: clientConfig('hook') }),
  )
  await make(opened, maps, map())
  assert.is(server.bodies.length, 1)
  assert.equal(asked.splice(0), [['tools', 'hook', 443]])
  const other = configuration({ server }, 'bad', { clientConfig: clientConfig('other') })
  await make(opened, path, other)
  assert.is(
    (await assertRejects(make(opened, maps, map()), 'InternalError')).message,
    `${failed}Post "https://other.tools.svc:443/check?timeout=10s": ${x509}certificate is valid for hook.tools.svc, not other.tools.svc`,
  )
  await opened.registry.delete({ kind: kindAt(path), name: 'bad' }, { dryRun: false })
  const gone = configuration({ server }, 'bad', { clientConfig: clientConfig('nowhere') })
  await make(opened, path, gone)
  assert.is(
    (await assertRejects(make(opened, maps, map()), 'InternalError')).message,
    `${failed}Post "https://nowhere.tools.svc:443/check?timeout=10s": service "nowhere" not found`,
  )
  await opened.close()
  await server.stop()
})

test('a webhook where nobody listens fails the request (Q-06)', async (opened) => {
  const server = await startHttpsServer(good)
  await server.stop()
  const path = configurations('validating')
  await make(opened, path, configuration({ server }, 'bad'))
  assert.is(
    (await assertRejects(make(opened, maps, map()), 'InternalError')).message,
    `${failed}Post "${server.url}/bad?timeout=10s": dial tcp 127.0.0.1:${server.port}: connect: connection refused`,
  )
  await opened.registry.delete({ kind: kindAt(path), name: 'bad' }, { dryRun: false })
})

const late = 'context deadline exceeded'
const silences: readonly [string, string, (tell: () => void) => RequestHandler][] = [
  ['says nothing', `Post "https://here/bad?timeout=3s": ${late}`, (tell) => () => void tell()],
  [
    'stops in the middle of its answer',
    late,
    (tell) =>
      (_, { response }) => {
        response.writeHead(200).write('{', tell)
      },
  ],
]

for (const [what, want, silence] of silences) {
  test(`a webhook that ${what} is given up at its time (Q-06)`, async () => {
    const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
    const opened = await openAdmitted({}, clock)
    const answer = silence(() => setImmediate(() => clock.advance(3000)))
    const message = await meeting(opened, answer, {}, { timeoutSeconds: 3 })
    assert.ok(message.startsWith(failed) && message.endsWith(want), message)
    await opened.close()
  })
}

test('a patch of a type that is not known is a failed call (Q-04, Q-06)', async (opened) => {
  const answer = says({ patch, patchType: 'MergePatch' })
  await withHooks(opened, [{ name: 'bad', mutating: true, answer }], async () => {
    const error = await assertRejects(make(opened, maps, map()), 'InternalError')
    assert.is(error.message, `${start}unsupported patch type "MergePatch"`)
  })
})

test('a connection that ended while it was not used is no failure (Q-06)', async (opened) => {
  const used = new WeakSet<object>()
  let ended = 0
  const answer: RequestHandler = (review: Review, { request: { socket } }) => {
    if (!used.has(socket)) {
      used.add(socket)
      return answered(review, { allowed: true })
    }
    ended++
    socket.destroy()
    return undefined
  }
  opened.answers.set('/stale', answer)
  const path = configurations('validating')
  await make(opened, path, configuration(opened, 'stale'))
  for (let count = 0; count < 4; count++) await make(opened, maps, map())
  assert.is(ended, 3)
  await opened.registry.delete({ kind: kindAt(path), name: 'stale' }, { dryRun: false })
})

test('a failure that is to be ignored is ignored (Q-06)', async (opened) => {
  const fields = { failurePolicy: 'Ignore' }
  for (const mutating of [false, true]) {
    const hook = { name: 'bad', answer: () => null, fields, ...(mutating && { mutating }) }
    await withHooks(opened, [hook as never], async (asked) => {
      await make(opened, maps, map())
      assert.is(asked.length, 1)
    })
  }
})

test('connections are used again, and ended with the server (Q-06)', async () => {
  const opened = await openWithWebhooks()
  const { server } = opened
  await withHooks(opened, [{ name: 'good', answer: good as never }], async (asked) => {
    for (let count = 0; count < 5; count++) await make(opened, maps, map())
    assert.is(asked.length, 5)
    assert.is(server.connections, 1)
  })
  opened.registry.close()
  await until('its connection ended', () => server.connections === 0)
  await opened.close()
})

test.run()
