/** What a daemon that is no API server tells about itself. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { metrics as table } from '../../../generated/metrics.ts'
import { platform } from '../../../generated/platform.ts'
import type { Authorizer } from '../../../runtime/auth/auth.ts'
import {
  type HealthCheck,
  type ServeDaemonOptions,
  serveDaemon,
} from '../../../runtime/daemon/daemon.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { Log } from '../../../runtime/observe/observe.ts'
import { createMetrics, silentLog } from '../../../runtime/observe/observe.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/daemon: serveDaemon')

let healthy = true
let hold: Promise<void> | undefined
const checks: readonly HealthCheck[] = [
  {
    name: 'leader-election',
    check() {
      if (!healthy) throw new Error('the lease is lost')
    },
  },
  { name: 'slow', endpoints: ['healthz'], check: () => hold },
]
const logged: string[] = []
const log: Log = { ...silentLog, warn: (event) => void logged.push(event) }

const start = (config?: object, host?: string, access?: ServeDaemonOptions['access']) =>
  serveDaemon({
    platform,
    clock: systemClock,
    log,
    metrics: createMetrics(table, { release: platform.release }),
    slis: true,
    checks,
    ...(config && { configz: () => ({ 'controllermanager.config.orch.io': config }) }),
    ...(access && { access }),
    listen: { port: 0, ...(host !== undefined && { host }) },
  })

const daemon = await start({ leaderElection: { leaderElect: true } })
test.after(() => daemon.stop())
test.before.each(() => {
  healthy = true
  logged.length = 0
})

const get = (path: string, init?: RequestInit): Promise<Response> => fetch(daemon.url + path, init)

for (const path of ['/healthz', '/livez', '/readyz', '/healthz/leader-election', '/livez/ping']) {
  test(`${path} is ok`, async () => {
    const response = await get(path)
    assert.is(response.status, 200)
    assert.is(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.is(await response.text(), 'ok')
  })
}

for (const [host, url] of [
  ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['::', /^http:\/\/\[::1\]:\d+$/],
] as const) {
  test(`the URL of a daemon that listens on ${host} is one that can be opened`, async () => {
    const everywhere = await start(undefined, host).catch(() => undefined)
    if (everywhere === undefined) return console.log(`SKIP ${host}: no such addresses here`)
    assert.match(everywhere.url, url)
    assert.is((await fetch(`${everywhere.url}/healthz`)).status, 200)
    await everywhere.stop()
  })
}

test('a check that fails is named to the client, and its reason told to the log', async () => {
  healthy = false
  const response = await get('/readyz?verbose')
  assert.is(response.status, 500)
  assert.is(
    await response.text(),
    '[+]ping ok\n[-]leader-election failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n',
  )
  assert.equal(logged, ['health check failed'])
  assert.is((await get('/readyz?exclude=leader-election')).status, 200)
})

test('/metrics counts the checks, in both formats', async () => {
  await get('/livez')
  const plain = await get('/metrics')
  assert.match(await plain.text(), 'orch_healthcheck{name="ping",type="livez"} 1\n')
  const open = await get('/metrics/slis', { headers: { accept: 'application/openmetrics-text' } })
  assert.match(open.headers.get('content-type') ?? '', 'application/openmetrics-text')
  assert.match(await open.text(), /^# EOF\n$/m)
})

test('/configz shows the configuration in force', async () => {
  const response = await get('/configz')
  assert.is(response.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(await response.json(), {
    'controllermanager.config.orch.io': { leaderElection: { leaderElect: true } },
  })
})

test('what one user may see is kept by nobody on the way', async () => {
  const user = { username: 'ann', groups: [] }
  const authenticator = { authenticate: () => ({ user }) }
  const authorizer: Authorizer = {
    authorize: ({ path }) => ({ decision: path === '/healthz' ? 'Allow' : 'NoOpinion' }),
  }
  const guarded = await start(undefined, undefined, { authenticator, authorizer })
  for (const [path, status] of [
    ['/healthz', 200],
    ['/metrics', 403],
  ] as const) {
    const response = await fetch(guarded.url + path)
    assert.is(response.status, status)
    assert.is(response.headers.get('cache-control'), 'no-cache, private')
  }
  await guarded.stop()
})

test('what is not there is 404, and what is there is read only', async () => {
  for (const path of ['/', '/healthz/nothing', '/metrics/other', '/api/v1/pods']) {
    const response = await get(path)
    assert.is(response.status, 404, path)
    assert.is(await response.text(), '404 page not found\n')
  }
  const posted = await get('/healthz', { method: 'POST' })
  assert.is(posted.status, 405)
  assert.is(posted.headers.get('allow'), 'GET, HEAD')
  const head = await get('/healthz', { method: 'HEAD' })
  assert.is(head.status, 200)
})

test('a daemon that stops is not ready, finishes its requests and is gone', async () => {
  const stopping = await start()
  assert.is((await fetch(`${stopping.url}/configz`)).status, 404)
  let release = () => {}
  hold = new Promise((resolve) => {
    release = resolve
  })
  const pending = fetch(`${stopping.url}/healthz`)
  await until('the check waits', () => hold !== undefined)
  stopping.drain()
  assert.is((await fetch(`${stopping.url}/readyz`)).status, 500)
  assert.is((await fetch(`${stopping.url}/livez`)).status, 200)
  const stopped = stopping.stop()
  release()
  assert.is((await pending).status, 200)
  await stopped
  hold = undefined
  await fetch(`${stopping.url}/livez`).then(
    () => assert.unreachable('nothing listens'),
    () => {},
  )
})

test('an address that is taken fails', async () => {
  const port = Number(new URL(daemon.url).port)
  await serveDaemon({
    platform,
    clock: systemClock,
    log: silentLog,
    metrics: createMetrics(table, { release: platform.release }),
    checks: [],
    listen: { port },
  }).then(
    () => assert.unreachable('taken'),
    (error: NodeJS.ErrnoException) => assert.is(error.code, 'EADDRINUSE'),
  )
})

test.run()
