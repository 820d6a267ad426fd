/** The pages for who looks into a process: profiles, the detail of its log, the files of logs (H-13). */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { metrics as table } from '../../../generated/metrics.ts'
import { platform } from '../../../generated/platform.ts'
import { flagPages, logPages, profilePages, serveDaemon } from '../../../runtime/daemon/daemon.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { createAdjustableLog, createMetrics, silentLog } from '../../../runtime/observe/observe.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('runtime/daemon: pages')

const folder = tempDirectory()
const inside = join(folder, 'log')
mkdirSync(join(inside, 'a folder'), { recursive: true })
writeFileSync(join(folder, 'secret'), 'not for logs')
writeFileSync(join(inside, 'one & <two>.log'), 'first')
writeFileSync(join(inside, 'a folder', 'deep.log'), 'deep')
symlinkSync(join(folder, 'secret'), join(inside, 'link'))
symlinkSync(folder, join(inside, 'linked'))

const written: string[] = []
const log = await createAdjustableLog(0, (line) => written.push(line))
const daemon = await serveDaemon({
  ...{ platform, clock: systemClock, log: silentLog, checks: [], listen: { port: 0 } },
  metrics: createMetrics(table, { release: platform.release }),
  pages: [profilePages(), flagPages(log), logPages(inside)],
})
test.after(() => daemon.stop())

const get = (path: string, init?: RequestInit) =>
  fetch(daemon.url + path, { redirect: 'manual', ...init })

/** The status of a path that is sent as it is, with its dots. */
function statusOf(path: string): Promise<number> {
  const { hostname, port } = new URL(daemon.url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject).end()
  })
}

test('files of logs are listed and read, those that links lead to are not', async () => {
  const list = await get('/logs/')
  assert.is(list.headers.get('content-type'), 'text/html; charset=utf-8')
  const lines = ['<a href="./a%20folder/">a folder/</a>']
  lines.push('<a href="./one%20%26%20%3Ctwo%3E.log">one &amp; &lt;two&gt;.log</a>')
  assert.is(await list.text(), `<!doctype html>\n<pre>\n${lines.join('\n')}\n</pre>\n`)
  assert.is(await (await get('/logs/one%20%26%20%3Ctwo%3E.log')).text(), 'first')
  assert.is(await (await get('/logs/a%20folder/deep.log')).text(), 'deep')
  assert.is((await get('/logs')).headers.get('location'), 'logs/')
  assert.is((await get('/logs/a%20folder')).headers.get('location'), 'a%20folder/')
  assert.is((await get('/logs/', { method: 'POST' })).status, 405)
})

test('no path leads out of the folder', async () => {
  for (const path of [
    ...['../secret', '%2e%2e/secret', '..%2Fsecret', 'a%20folder/../../secret', './', '//', '%00'],
    ...['link', 'linked/', 'linked/secret', 'none', 'a%20folder/none', '%', 'one%20.log/', '..'],
  ]) {
    assert.is(await statusOf(`/logs/${path}`), 404, path)
  }
})

test('the detail of the log is a number that a PUT changes', async () => {
  const put = async (body: string, method = 'PUT') => {
    const answer = await get('/debug/flags/v', { method, body })
    return [answer.status, await answer.text()]
  }
  log.debug('before')
  assert.equal(await put('4'), [200, 'successfully set klog.logging.verbosity to 4'])
  log.debug('after')
  assert.is(written.length, 1)
  assert.match(written[0]!, '"event":"after"')
  for (const wrong of ['', '-1', 'x', '1e3', '9'.repeat(1000)])
    assert.is((await put(wrong))[0], 400)
  assert.equal(await put('4', 'POST'), [406, 'unsupported http method'])
  assert.is(log.verbosity, 4)
  assert.match(await (await get('/debug/flags/')).text(), '/debug/flags/v')
})

test('profiles are taken one at a time, for as long as is asked', async () => {
  assert.is((await get('/debug/pprof')).headers.get('location'), '/debug/pprof/')
  assert.match(await (await get('/debug/pprof/')).text(), '/debug/pprof/profile?seconds=N')
  const profile = await get('/debug/pprof/profile?seconds=0.05')
  assert.is(profile.headers.get('content-type'), 'application/octet-stream')
  assert.ok(((await profile.json()) as { nodes: unknown[] }).nodes.length > 0)
  assert.ok(((await (await get('/debug/pprof/heap?seconds=0.05')).json()) as { head: object }).head)
  for (const wrong of ['0', '-1', 'x', '301']) {
    assert.is((await get(`/debug/pprof/profile?seconds=${wrong}`)).status, 400, wrong)
  }
  const unknown = await get('/debug/pprof/constructor')
  assert.equal([unknown.status, await unknown.text()], [404, 'Unknown profile\n'])
  const stop = new AbortController()
  const long = get('/debug/pprof/profile?seconds=300', { signal: stop.signal }).catch(() => 'gone')
  for (;;) {
    const { status } = await get('/debug/pprof/heap?seconds=0.01')
    if (status === 503) break
    assert.is(status, 200)
  }
  stop.abort()
  assert.is(await long, 'gone')
})

test.run()
