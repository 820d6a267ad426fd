/** Applies and strategic patches as they come over the wire. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startTestServer, type TestResponse, type TestServer } from '../harness.ts'

const applies = suite<{ wire: TestServer }>('runtime/server: apply')

applies.before(async (context) => {
  context.wire = await startTestServer()
})
applies.after(({ wire }) => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const yaml = (name: string, data = 'a: "1"') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  ${data}\n`

interface Patch {
  readonly query?: string
  readonly type?: string
  readonly agent?: string
}

function patch(
  wire: TestServer,
  name: string,
  body: unknown,
  { query = '', type, agent }: Patch = {},
) {
  const headers = {
    'content-type': type ?? 'application/apply-patch+yaml',
    ...(agent !== undefined && { 'user-agent': agent }),
  }
  return wire.request({ method: 'PATCH', path: `${maps}/${name}${query}`, headers, body })
}

function managers(reply: TestResponse): readonly string[] {
  const { metadata } = reply.json() as {
    metadata: { managedFields?: readonly { manager: string; operation: string }[] }
  }
  return (metadata.managedFields ?? []).map(({ manager, operation }) => `${manager} ${operation}`)
}

applies(
  'an apply creates with 201 and merges with 200, from YAML and from JSON (A4.53, A4.58, A-15)',
  async ({ wire }) => {
    const made = await patch(wire, 'made', yaml('made'), { query: '?fieldManager=ann' })
    assert.is(made.status, 201, made.text)
    assert.equal(managers(made), ['ann Apply'])
    const json = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'made' },
      data: { a: '1' },
    }
    const same = await patch(wire, 'made', json, { query: '?fieldManager=ann' })
    assert.is(same.status, 200)
    assert.is(same.text, made.text)
    const flow = '{apiVersion: v1, kind: ConfigMap, metadata: {name: made}, data: {a: "1"}}'
    assert.is((await patch(wire, 'made', flow, { query: '?fieldManager=ann' })).text, made.text)
  },
)

applies(
  'an apply names its manager, and only an apply forces (A-01, A4.22, A4.23)',
  async ({ wire }) => {
    const none = await patch(wire, 'none', yaml('none'))
    assert.is(none.status, 422)
    assert.match(none.text, 'fieldManager: Required value: is required for apply patch')
    const long = await patch(wire, 'none', yaml('none'), {
      query: `?fieldManager=${'x'.repeat(129)}`,
    })
    assert.is(long.status, 422)
    const forced = await patch(
      wire,
      'none',
      {},
      {
        query: '?force=true',
        type: 'application/merge-patch+json',
      },
    )
    assert.is(forced.status, 422)
    assert.match(forced.text, 'force: Forbidden: may not be specified for non-apply patch')
  },
)

applies(
  'a conflict is 409 with its causes, and force wins (A-12, A4.61, A7.3, A4.65)',
  async ({ wire }) => {
    await patch(wire, 'fought', yaml('fought'), { query: '?fieldManager=ann' })
    const wanted = yaml('fought', 'a: "2"')
    const refused = await patch(wire, 'fought', wanted, { query: '?fieldManager=bob' })
    assert.is(refused.status, 409)
    const { reason, details } = refused.json() as { reason: string; details: { causes: unknown } }
    assert.is(reason, 'Conflict')
    assert.equal(details.causes, [
      { reason: 'FieldManagerConflict', field: '.data.a', message: 'conflict with "ann"' },
    ])
    const forced = await patch(wire, 'fought', wanted, { query: '?fieldManager=bob&force=true' })
    assert.is(forced.status, 200)
    assert.equal(managers(forced), ['bob Apply'])
  },
)

applies(
  'the manager of other writes comes from the parameter or the user agent (A-08, A4.63)',
  async ({ wire }) => {
    const agents: readonly [agent: string, want: string][] = [
      ['curl/8.0 (linux)', 'curl'],
      ['plain', 'plain'],
      ['/1.0', 'unknown'],
      ['x'.repeat(200), 'x'.repeat(128)],
    ]
    for (const [index, [agent, want]] of agents.entries()) {
      const reply = await wire.request({
        method: 'POST',
        path: maps,
        headers: { 'content-type': 'application/json', 'user-agent': agent },
        body: { metadata: { name: `agent-${index}` }, data: { a: '1' } },
      })
      assert.equal(managers(reply), [`${want} Update`])
    }
    const named = await patch(
      wire,
      'agent-0',
      { data: { b: '2' } },
      {
        query: '?fieldManager=me',
        type: 'application/merge-patch+json',
        agent: 'curl/8.0',
      },
    )
    assert.ok(managers(named).includes('me Update'))
  },
)

applies('a strategic merge patch is one of four types (A4.56, P-01)', async ({ wire }) => {
  await patch(wire, 'strategic', yaml('strategic'), { query: '?fieldManager=ann' })
  const type = 'application/strategic-merge-patch+json; charset=utf-8'
  const reply = await patch(wire, 'strategic', { data: { b: '2', a: null } }, { type })
  assert.is(reply.status, 200)
  assert.equal(reply.json().data, { b: '2' })
  const other = await patch(wire, 'strategic', {}, { type: 'text/plain' })
  assert.is(other.status, 415)
  assert.is(other.json().message, '415: Unsupported Media Type')
})

applies('keys that stand twice are warned of, or refused (A-02, F-02, F-04)', async ({ wire }) => {
  const twice = yaml('twice', 'a: "1"\n  a: "2"')
  const warned = await patch(wire, 'twice', twice, { query: '?fieldManager=ann' })
  assert.is(warned.status, 201)
  assert.match(String(warned.headers.warning), 'already set in map')
  const strict = await patch(wire, 'twice', twice, {
    query: '?fieldManager=ann&fieldValidation=Strict',
  })
  assert.is(strict.status, 400)
  const quiet = await patch(wire, 'twice', twice, {
    query: '?fieldManager=ann&fieldValidation=Ignore',
  })
  assert.is(quiet.headers.warning, undefined)
})

applies('a body that is no configuration is refused (A-02)', async ({ wire }) => {
  const query = '?fieldManager=ann'
  const bad: readonly [body: unknown, status: number][] = [
    ['', 400],
    ['[]', 400],
    ['{"a":', 400],
    ['text', 400],
    ['apiVersion: v2\nkind: ConfigMap\n', 400],
    ['apiVersion: v1\nkind: Secret\n', 400],
    [yaml('other'), 400],
    [`${yaml('bad')}extra: 1\n`, 500],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: 1\n', 500],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: { managedFields: [] }\n', 400],
    ['apiVersion: {}\nkind: []\n', 400],
  ]
  for (const [body, status] of bad) {
    const reply = await patch(wire, 'bad', body, { query })
    assert.is(reply.status, status, `${String(body)}: ${reply.text}`)
    assert.is(reply.json().kind, 'Status')
  }
})

applies.run()
