import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('runtime/apiserver: large collections')
const pods = '/api/v1/namespaces/default/pods'
const count = 10_000
const writers = 64

interface List {
  readonly metadata: {
    readonly resourceVersion: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

async function start(file: string) {
  const storage = { kind: 'sqlite', file } as const
  const server = await startApiServer({
    scheme,
    storage,
    clock: systemClock,
    log: silentLog,
  })
  const ask = async (method: string, path: string, body?: object) => {
    const text = body && { body: JSON.stringify(body) }
    const reply = await server.dispatch({ method, path, headers: {}, ...text })
    const chunks: Uint8Array[] = []
    for await (const chunk of reply.body) chunks.push(chunk)
    return { status: reply.status, text: Buffer.concat(chunks).toString() }
  }
  return { ...server, ask, list: async (query: string) => listOf(await ask('GET', pods + query)) }
}

function listOf({ status, text }: { readonly status: number; readonly text: string }): List {
  assert.is(status, 200)
  return JSON.parse(text) as List
}

/** A pod of about 2 KiB. */
function pod(n: number): object {
  const env = Array.from({ length: 8 }, (_, at) => ({ name: `VALUE_${at}`, value: 'x'.repeat(20) }))
  return {
    metadata: { name: `web-${String(n).padStart(5, '0')}`, labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'example/app:1', env }] },
  }
}

// A1.5, A8.3, A8.4, L-16
test('ten thousand pods are listed whole or in chunks, and are there after a restart', async () => {
  const file = `${tempDirectory()}/store.db`
  const first = await start(file)
  let next = 0
  const write = async () => {
    while (next < count) assert.is((await first.ask('POST', pods, pod(next++))).status, 201)
  }
  await Promise.all(Array.from({ length: writers }, write))
  const whole = await first.ask('GET', pods)
  const names = listOf(whole).items.map(({ metadata }) => metadata.name)
  assert.is(names.length, count)
  const bytes = whole.text.length
  assert.ok(bytes > 10e6 && bytes < 25e6, `${bytes} bytes`)
  await first.stop()

  const second = await start(file)
  const chunked: string[] = []
  let page = await second.list('?limit=500')
  for (;;) {
    assert.is(page.items.length, 500)
    chunked.push(...page.items.map(({ metadata }) => metadata.name))
    const left = count - chunked.length
    assert.is(page.metadata.remainingItemCount, left === 0 ? undefined : left)
    if (!page.metadata.continue) break
    page = await second.list(`?limit=500&continue=${page.metadata.continue}`)
  }
  assert.equal(chunked, names)
  await second.stop()
})

test.run()
