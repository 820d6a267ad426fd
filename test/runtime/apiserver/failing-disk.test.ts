import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { tempDirectory } from '../../support/temp.ts'

const disk = suite('runtime/apiserver: a disk that fails')
const directory = tempDirectory()
const maps = '/api/v1/namespaces/default/configmaps'

const start = (file: string): Promise<RunningApiServer> =>
  startApiServer({
    scheme,
    storage: { kind: 'sqlite', file },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
  })

function create({ url }: RunningApiServer, name: string): Promise<Response> {
  const body = JSON.stringify({ metadata: { name }, data: { k: 'x'.repeat(100_000) } })
  const headers = { 'content-type': 'application/json' }
  return fetch(url + maps, { method: 'POST', headers, body })
}

async function textOf(url: string): Promise<[status: number, text: string]> {
  const response = await fetch(url)
  return [response.status, await response.text()]
}

/** The system refuses to write behind so many bytes of any file of this process, although its disk has space. True if it was told so. */
function limitFiles(bytes: number | 'unlimited'): boolean {
  const { status } = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])
  return status === 0
}

const limited = limitFiles('unlimited')
  ? disk
  : (name: string) => console.log(`SKIP ${name}: prlimit cannot limit the files of a process here`)

limited(
  'what the disk refuses is an error that says so; reads go on, and writes once it works',
  async () => {
    const file = join(directory, 'store.db')
    const server = await start(file)
    try {
      assert.is((await create(server, 'first')).status, 201)
      limitFiles(4096)
      const refused = await create(server, 'second')
      const { reason, message } = (await refused.json()) as Record<string, unknown>
      assert.equal([refused.status, reason], [500, 'InternalError'])
      assert.match(String(message), 'the store cannot write: SQLITE_IOERR: the disk failed')
      assert.is((await textOf(`${server.url}${maps}/first`))[0], 200)
      assert.is((await textOf(`${server.url}${maps}/second`))[0], 404)
      const [status, text] = await textOf(`${server.url}/readyz/etcd`)
      assert.is(status, 500)
      assert.match(text, 'SQLITE_IOERR: the disk failed')
      assert.is((await textOf(`${server.url}/readyz`))[0], 500)
      limitFiles('unlimited')
      assert.is((await textOf(`${server.url}/readyz`))[0], 200)
      assert.is((await create(server, 'second')).status, 201)
    } finally {
      limitFiles('unlimited')
      await server.stop()
    }
    const again = await start(file)
    const found = await textOf(`${again.url}${maps}/second`)
    await again.stop()
    assert.is(found[0], 200)
  },
)

const mount = (...args: readonly string[]): boolean => spawnSync('mount', args).status === 0
const mounted = tempDirectory()
const isMounted = mount('-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mounted)
disk.after(() => void (isMounted && spawnSync('umount', [mounted])))

const readOnly = isMounted
  ? disk
  : (name: string) => console.log(`SKIP ${name}: no disk can be mounted`)

/** The disk takes no writes until `work` is done. */
async function whileReadOnly<T>(work: () => Promise<T>): Promise<T> {
  assert.ok(mount('-o', 'remount,ro', mounted))
  try {
    return await work()
  } finally {
    assert.ok(mount('-o', 'remount,rw', mounted))
  }
}

readOnly(
  'nothing begins on a disk that is mounted read-only, and the refusal names it',
  async () => {
    const file = join(mounted, 'new.db')
    const error = await whileReadOnly(() =>
      start(file).then(
        (server) => server.stop().then(() => undefined),
        (reason: unknown) => String(reason),
      ),
    )
    assert.match(String(error), `cannot be opened as a store`)
  },
)

readOnly(
  'a server over a disk that is mounted read-only serves what is there, and says why it takes nothing',
  async () => {
    const file = join(mounted, 'store.db')
    const before = await start(file)
    assert.is((await create(before, 'kept')).status, 201)
    await before.stop()
    await whileReadOnly(async () => {
      const server = await start(file)
      const why = `EROFS: ${file} may not be written: its disk is mounted read-only`
      assert.is((await textOf(`${server.url}${maps}/kept`))[0], 200)
      assert.match((await textOf(`${server.url}${maps}?labelSelector=a`))[1], '"items":[]')
      const refused = await create(server, 'more')
      const { reason, message } = (await refused.json()) as Record<string, unknown>
      assert.equal([refused.status, reason], [500, 'InternalError'])
      assert.match(String(message), why)
      assert.is((await textOf(`${server.url}/livez/ping`))[0], 200)
      assert.is((await textOf(`${server.url}/readyz`))[0], 500)
      assert.match((await textOf(`${server.url}/readyz/etcd`))[1], why)
      await server.stop()
    })
    const after = await start(file)
    assert.is((await create(after, 'more')).status, 201)
    await after.stop()
  },
)

readOnly('what a server had not put into the pages yet is there, too', async () => {
  const file = join(mounted, 'crashed.db')
  const server = await start(join(mounted, 'running.db'))
  assert.is((await create(server, 'last')).status, 201)
  for (const suffix of ['', '-wal'])
    copyFileSync(join(mounted, `running.db${suffix}`), `${file}${suffix}`)
  await server.stop()
  await whileReadOnly(async () => {
    const again = await start(file)
    assert.is((await textOf(`${again.url}${maps}/last`))[0], 200)
    await again.stop()
  })
})

disk.run()
