import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { tempDirectory } from '../../support/temp.ts'

const disk = suite('runtime/apiserver: a full disk')
const directory = tempDirectory()
const mounted =
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', directory]).status === 0
disk.after(() => void (mounted && spawnSync('umount', [directory])))

const maps = '/api/v1/namespaces/default/configmaps'
const filler = join(directory, 'filler')

/** Takes all the space that is left. */
function fill(): void {
  for (let size = 1 << 20; size >= 512; size >>= 1) {
    for (;;) {
      try {
        writeFileSync(filler, new Uint8Array(size), { flag: 'a' })
      } catch {
        break
      }
    }
  }
}

const start = (): Promise<RunningApiServer> =>
  startApiServer({
    scheme,
    storage: { kind: 'sqlite', file: join(directory, 'store.db') },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
  })

async function create({ url }: RunningApiServer, name: string): Promise<Response> {
  const body = JSON.stringify({ metadata: { name }, data: { k: 'x'.repeat(500_000) } })
  const headers = { 'content-type': 'application/json' }
  return fetch(url + maps, { method: 'POST', headers, body })
}

async function textOf(url: string): Promise<[status: number, text: string]> {
  const response = await fetch(url)
  return [response.status, await response.text()]
}

const test = mounted ? disk : (name: string) => console.log(`SKIP ${name}: no disk can be mounted`)

test('a full disk refuses writes and says why; reads go on, and writes once there is space', async () => {
  const server = await start()
  assert.is((await create(server, 'first')).status, 201)
  fill()
  let refused = await create(server, 'second')
  for (let at = 0; refused.status === 201; at++) refused = await create(server, `more-${at}`)
  const { reason, message, code } = (await refused.json()) as Record<string, unknown>
  assert.equal([refused.status, reason, code], [500, 'InternalError', 500])
  assert.match(String(message), 'the store cannot write: SQLITE_FULL: the disk is full')
  assert.is((await textOf(`${server.url}${maps}/first`))[0], 200)
  assert.is((await textOf(`${server.url}/readyz`))[0], 500)
  const [status, text] = await textOf(`${server.url}/readyz/etcd`)
  assert.is(status, 500)
  assert.match(text, 'SQLITE_FULL: the disk is full: free some space')
  rmSync(filler)
  assert.is((await textOf(`${server.url}/readyz`))[0], 200)
  assert.is((await create(server, 'last')).status, 201)
  await server.stop()
})

test('a server starts on a full disk, and serves what is there', async () => {
  fill()
  const server = await start()
  assert.is((await textOf(`${server.url}${maps}/first`))[0], 200)
  await server.stop()
  rmSync(filler)
})

disk.run()
