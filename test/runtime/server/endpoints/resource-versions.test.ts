// The tables of what a resourceVersion means: every cell of get, list and watch, over the wire.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { contains, fits, startTestServer, type TestServer } from '../harness.ts'
import { eventsOf } from '../watch-events.ts'

const test = suite('runtime/server: resource versions')
const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
const maps = '/api/v1/namespaces/default/configmaps'
let wire: TestServer
/** The version at which there are a, b and c; d came later. */
let old = ''
/** Goes on from b at that version. */
let token = ''

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

const listed = async (query: string): Promise<List> => {
  const reply = await wire.request({ path: `${maps}?${query}` })
  fits(reply, { status: 200 })
  return reply.json() as unknown as List
}

const names = ({ items }: List): string => items.map(({ metadata }) => metadata.name).join('')

const create = (name: string) =>
  wire.request({ method: 'POST', path: maps, body: { metadata: { name } } })

test.before(async () => {
  wire = await startTestServer({ clock })
  for (const name of ['a', 'b', 'c']) fits(await create(name), { status: 201 })
  const first = await listed('limit=2')
  old = first.metadata.resourceVersion
  token = first.metadata.continue ?? ''
  fits(await create('d'), { status: 201 })
})
test.after(() => wire.stop())

/** What a cell of the list table comes to. */
type Cell =
  | 'all latest'
  | 'two latest'
  | 'all at the version'
  | 'two at the version'
  | 'the rest'
  | 'Invalid'
  | 'BadRequest'

type Row = readonly [id: string, query: () => string, unset: Cell, zero: Cell, other: Cell]

const list: readonly Row[] = [
  ['A4.29: no match rule, no limit', () => '', 'all latest', 'all latest', 'all latest'],
  [
    'A4.30, A4.18, D-10: a limit',
    () => 'limit=2',
    'two latest',
    'all latest',
    'two at the version',
  ],
  [
    'A4.31, A4.19: a limit and a token',
    () => `limit=2&continue=${token}`,
    'the rest',
    'the rest',
    'BadRequest',
  ],
  ['A4.32: Exact', () => 'resourceVersionMatch=Exact', 'Invalid', 'Invalid', 'all at the version'],
  [
    'A4.33: Exact with a limit',
    () => 'resourceVersionMatch=Exact&limit=2',
    'Invalid',
    'Invalid',
    'two at the version',
  ],
  [
    'A4.34: NotOlderThan',
    () => 'resourceVersionMatch=NotOlderThan',
    'Invalid',
    'all latest',
    'all latest',
  ],
  [
    'A4.35, A4.37: NotOlderThan with a limit',
    () => 'resourceVersionMatch=NotOlderThan&limit=2',
    'Invalid',
    'two latest',
    'two latest',
  ],
]

async function check(query: string, cell: Cell): Promise<void> {
  if (cell === 'Invalid' || cell === 'BadRequest') return refused(query, cell)
  const page = await listed(query)
  const { resourceVersion: version, continue: next } = page.metadata
  const atOld = cell.endsWith('the version') || cell === 'the rest'
  assert.is(version === old, atOld, `${version} of ${old}`)
  assert.is(
    names(page),
    cell === 'the rest' ? 'c' : cell.startsWith('two') ? 'ab' : atOld ? 'abc' : 'abcd',
  )
  assert.is(next !== undefined, cell.startsWith('two'))
  if (next === undefined) return
  const rest = await listed(`limit=2&continue=${next}`)
  assert.is(rest.metadata.resourceVersion, version, 'the version is the same in every chunk')
  assert.is(names(rest), atOld ? 'c' : 'cd')
}

async function refused(query: string, cell: 'Invalid' | 'BadRequest'): Promise<void> {
  const reply = await wire.request({ path: `${maps}?${query}` })
  if (cell === 'BadRequest') {
    const message = 'specifying resource version is not allowed when using continue'
    return fits(reply, { status: 400, body: { reason: 'BadRequest', message } })
  }
  fits(reply, {
    status: 422,
    body: {
      reason: 'Invalid',
      message: /^ListOptions\.meta\.orch\.io "" is invalid: resourceVersionMatch: Forbidden: /,
      details: { kind: 'ListOptions', group: 'meta.orch.io' },
    },
  })
  const { details } = reply.json() as { details: { causes: { field: string }[] } }
  assert.ok(details.causes.every(({ field }) => field === 'resourceVersionMatch'))
}

// A4.28, A4.36, A4.45, A7.1, D-11, L-04, L-06, L-07
for (const [id, query, unset, zero, other] of list) {
  test(`${id}, no version: ${unset}`, () => check(query(), unset))
  test(`${id}, an empty version (A4.14): ${unset}`, () =>
    check(`${query()}&resourceVersion=`, unset))
  test(`${id}, version 0: ${zero}`, () => check(`${query()}&resourceVersion=0`, zero))
  test(`${id}, another version: ${other}`, () => check(`${query()}&resourceVersion=${old}`, other))
}

test('A4.15: a match rule that is none is refused with those that are', async () => {
  fits(await wire.request({ path: `${maps}?resourceVersion=1&resourceVersionMatch=Newest` }), {
    status: 422,
    body: {
      details: {
        causes: [
          {
            reason: 'FieldValueNotSupported',
            field: 'resourceVersionMatch',
            message: 'Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
          },
        ],
      },
    },
  })
})

test('every wrong option of a list is named at once (L-07, L-08)', async () => {
  const query = `resourceVersionMatch=Exact&continue=${token}&sendInitialEvents=true`
  const reply = await wire.request({ path: `${maps}?${query}` })
  fits(reply, { status: 422 })
  const { details } = reply.json() as { details: { causes: { field: string; message: string }[] } }
  assert.equal(
    details.causes.map(({ field, message }) => `${field}: ${message}`),
    [
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
  )
})

test('A4.18: a limit that is no number is refused, and zero is none', async () => {
  fits(await wire.request({ path: `${maps}?limit=two` }), { status: 400 })
  fits(await wire.request({ path: `${maps}?limit=` }), { status: 400 })
  for (const all of ['0', '-1', '+0009', '9223372036854775807'])
    assert.is(names(await listed(`limit=${encodeURIComponent(all)}`)), 'abcd')
})

test('A4.26, A4.27, L-14, L-18: a get without version sees the latest write, with one any not older', async () => {
  for (const round of ['1', '2']) {
    const body = { metadata: { name: 'a' }, data: { round } }
    const put = await wire.request({ method: 'PUT', path: `${maps}/a`, body })
    const { metadata } = put.json() as { metadata: { resourceVersion: string } }
    for (const query of ['', 'resourceVersion=', 'resourceVersion=0', `resourceVersion=${old}`]) {
      fits(await wire.request({ path: `${maps}/a?${query}` }), {
        status: 200,
        body: { data: { round } },
      })
    }
    fits(await wire.request({ path: `${maps}/a?resourceVersion=${metadata.resourceVersion}` }), {
      status: 200,
      body: { metadata },
    })
  }
  fits(await wire.request({ path: `${maps}/none?resourceVersion=0` }), { status: 404 })
})

test('L-10, D-18: a version that was never given out is refused', async () => {
  for (const version of ['new', '-1', '1.5', '0x1', '99999999999999999999']) {
    for (const path of [maps, `${maps}/a`]) {
      fits(await wire.request({ path: `${path}?resourceVersion=${version}` }), {
        status: 400,
        body: {
          reason: 'BadRequest',
          message: /^invalid resource version: resourceVersion: Invalid value: /,
        },
      })
    }
  }
})

const future = '900719925474099'

test('A7.5, A7.8, L-09, D-21: a version ahead of all is waited for 3 s, then refused', async () => {
  const reads = [
    `${maps}/a?resourceVersion=${future}`,
    `${maps}?resourceVersion=${future}`,
    `${maps}?resourceVersion=${future}&resourceVersionMatch=NotOlderThan`,
    `${maps}?resourceVersion=${future}&resourceVersionMatch=NotOlderThan&limit=2`,
    `${maps}?resourceVersion=${future}&resourceVersionMatch=Exact`,
  ]
  for (const path of reads) {
    const idle = clock.waiting
    const asked = wire.request({ path })
    await until('the read waits', () => clock.waiting >= idle + 2)
    clock.advance(2999)
    clock.advance(1)
    fits(await asked, {
      status: 504,
      headers: { 'retry-after': '1' },
      body: {
        reason: 'Timeout',
        message: /^Timeout: Too large resource version: 900719925474099, current: \d+$/,
        details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
      },
    })
  }
})

test('a version that comes in time is waited for (A7.8)', async () => {
  const next = String(Number((await listed('')).metadata.resourceVersion) + 1)
  const idle = clock.waiting
  const asked = wire.request({ path: `${maps}?resourceVersion=${next}` })
  await until('the read waits', () => clock.waiting >= idle + 2)
  fits(await create('e'), { status: 201 })
  const reply = await asked
  fits(reply, { status: 200, body: { metadata: { resourceVersion: next } } })
  await wire.request({ method: 'DELETE', path: `${maps}/e` })
})

/** The first events of a watch as `TYPE name`, joined; ends the watch. */
async function watched(query: string, count: number): Promise<string> {
  const response = await wire.open({ path: `${maps}?${query}` })
  fits({ ...(await head(response)) }, { status: 200 })
  const got: string[] = []
  for await (const { type, object } of eventsOf(response)) {
    const { name } = (object.metadata ?? {}) as { name?: string }
    got.push(`${type} ${name ?? object.reason}`)
    if (got.length === count) break
  }
  response.destroy()
  return got.join(', ')
}

async function head({ statusCode = 0, headers }: Awaited<ReturnType<TestServer['open']>>) {
  return { status: statusCode, headers, bytes: Buffer.alloc(0), text: '', json: () => ({}) }
}

// A4.38, A4.39, A6.1, V-09
test('A4.41, A4.14: a watch without version begins with the state', async () => {
  const state = 'ADDED a, ADDED b, ADDED c, ADDED d'
  assert.is(await watched('watch=1', 4), state)
  assert.is(await watched('watch=1&resourceVersion=', 4), state)
})

test('A4.40: a watch from version 0 begins with the state', async () => {
  assert.is(await watched('watch=1&resourceVersion=0', 4), 'ADDED a, ADDED b, ADDED c, ADDED d')
})

test('A4.42, A4.43: a watch from another version begins with the change after it', async () => {
  assert.is(await watched(`watch=1&resourceVersion=${old}`, 2), 'ADDED d, MODIFIED a')
})

test('A4.13, R-03: a watch is what the parameter says in any case but 0 and false', async () => {
  for (const value of ['watch', 'watch=', 'watch=1', 'watch=true', 'watch=yes']) {
    assert.is(await watched(`${value}&resourceVersion=${old}`, 1), 'ADDED d', value)
  }
  for (const value of ['watch=0', 'watch=false', 'watch=FALSE']) {
    fits(await wire.request({ path: `${maps}?${value}` }), { status: 200, body: { kind: /List$/ } })
  }
})

test('a watch from a version of another history is over at once (D-09)', async () => {
  assert.is(await watched(`watch=1&resourceVersion=${future}`, 2), 'ERROR Expired')
})

test('A4.17, L-08: without its gate a streaming list is refused, with the reason', async () => {
  for (const value of ['true', 'false']) {
    const reply = await wire.request({ path: `${maps}?watch=1&sendInitialEvents=${value}` })
    fits(reply, { status: 422, body: { reason: 'Invalid' } })
    const { details } = reply.json() as { details: { causes: { field: string }[] } }
    contains(
      details.causes.map(({ field }) => field),
      ['resourceVersionMatch', 'sendInitialEvents'],
      '',
    )
  }
})

test('A4.15, L-07: a match rule on a watch is refused', async () => {
  fits(
    await wire.request({ path: `${maps}?watch=1&resourceVersion=1&resourceVersionMatch=Exact` }),
    {
      status: 422,
      body: {
        details: {
          causes: [{ reason: 'FieldValueForbidden' }, { reason: 'FieldValueNotSupported' }],
        },
      },
    },
  )
})

test('A7.4, A4.36, E-12: an Exact version that is gone is 410, and one that is not older is not', async () => {
  await wire.forget()
  for (const query of [
    'limit=2',
    'resourceVersionMatch=Exact',
    'resourceVersionMatch=Exact&limit=2',
  ]) {
    fits(await wire.request({ path: `${maps}?${query}&resourceVersion=${old}` }), {
      status: 410,
      body: { reason: 'Expired', metadata: {} },
    })
  }
  assert.is(names(await listed(`resourceVersion=${old}&resourceVersionMatch=NotOlderThan`)), 'abcd')
})

test('L-05, A7.4: an expired token is 410 and brings one that goes on at the latest version', async () => {
  const reply = await wire.request({ path: `${maps}?limit=1&continue=${token}` })
  fits(reply, { status: 410, body: { reason: 'Expired', metadata: { continue: /./ } } })
  const { metadata } = reply.json() as { metadata: { continue: string } }
  const next = await listed(`limit=1&continue=${metadata.continue}`)
  assert.is(names(next), 'c')
  assert.is.not(next.metadata.resourceVersion, old)
  fits(await create('x'), { status: 201 })
  const last = await listed(`limit=5&continue=${next.metadata.continue}`)
  assert.is(names(last), 'd', 'later pages stay on the version of the one that went on')
  assert.is(last.metadata.resourceVersion, next.metadata.resourceVersion)
})

test('A7.7: after a 410 a watch from a new list misses nothing', async () => {
  assert.is(await watched(`watch=1&resourceVersion=${old}`, 1), 'ERROR Expired')
  const { metadata } = await listed('')
  fits(await create('y'), { status: 201 })
  assert.is(await watched(`watch=1&resourceVersion=${metadata.resourceVersion}`, 1), 'ADDED y')
})

test.run()
