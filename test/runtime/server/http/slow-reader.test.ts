// V-13: what a watch, and a list that is not in memory, may hold for a reader that takes little.
import type { IncomingMessage } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../../generated/platform.ts'
import { scheme } from '../../../../generated/scheme.ts'
import { createMetrics } from '../../../../runtime/observe/observe.ts'
import type { WatchEvent } from '../../../../runtime/registry/registry.ts'
import { lazyItem } from '../../../../runtime/registry/storage/item.ts'
import {
  createJsonSerializer,
  type EventEncoder,
} from '../../../../runtime/serializer/serializer.ts'
import { watchStream } from '../../../../runtime/server/endpoints/watch-stream.ts'
import { toApiResponse } from '../../../../runtime/server/http/in-process.ts'
import type { Frame } from '../../../../runtime/server/http/response.ts'
import { sharedFrames } from '../../../../runtime/server/negotiation/watch-frames.ts'
import { fakeClock } from '../../../support/clock.ts'
import { configMaps } from '../../../support/registry.ts'
import { startTestServer, type TestResponse, type TestServer } from '../harness.ts'

const test = suite('runtime/server: slow readers')

const size = 50_000

function event(name: string, initial = false): WatchEvent {
  const object = { kind: 'ConfigMap', metadata: { name }, data: { value: 'x'.repeat(size) } }
  const item = lazyItem(Buffer.from(JSON.stringify(object)))
  return { type: 'ADDED', item, ...(initial && { initial: true }) }
}

function jsonEvents(): EventEncoder {
  return createJsonSerializer().eventEncoder({ kind: configMaps }) as EventEncoder
}

async function* once(batch: readonly WatchEvent[]) {
  yield batch
}

test('of a batch only what its reader takes is framed', async () => {
  const batch = Array.from({ length: 200 }, (_, at) => event(`m${at}`))
  const frames = sharedFrames(jsonEvents())
  let framed = 0
  const frame = (one: WatchEvent): Frame => {
    const made = frames(one)
    framed += made.payload.length
    return made
  }
  const clock = fakeClock()
  const stop = new AbortController()
  const failure = (): never => {
    throw new Error('nothing fails')
  }
  const options = { stop, clock, lifeMs: 60_000, stalledMs: 60_000, frame, failure }
  const answer = { status: 200, headers: [], body: watchStream(once(batch), options) }
  let taken = 0
  for await (const bytes of toApiResponse(answer, 'GET').body) {
    taken += bytes.length
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(framed - taken <= 256 * 1024 + 2 * size, `${framed - taken} bytes wait`)
  }
  assert.is(taken, framed)
  assert.ok(taken > 200 * size)
  assert.is(clock.waiting, 0, 'no timer is left')
})

test('a reader that takes nothing for a minute is given up', async () => {
  const clock = fakeClock()
  const stop = new AbortController()
  const batch = Array.from({ length: 20 }, (_, at) => event(`m${at}`))
  const failure = (): never => {
    throw new Error('nothing fails')
  }
  const options = {
    stop,
    clock,
    lifeMs: 600_000,
    stalledMs: 60_000,
    frame: sharedFrames(jsonEvents()),
    failure,
  }
  const answer = { status: 200, headers: [], body: watchStream(once(batch), options) }
  const body = toApiResponse(answer, 'GET').body[Symbol.asyncIterator]()
  await body.next()
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.is(stop.signal.aborted, false)
  clock.advance(60_000)
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.is(stop.signal.aborted, true)
  await body.return?.()
})

test('a frame is shared while it is fresh, and copies do not stay for ever', () => {
  const frames = sharedFrames(jsonEvents())
  const [first, other] = [event('first'), event('other')]
  assert.is(frames(first), frames(first))
  const initial = event('state', true)
  assert.is.not(frames(initial), frames(initial), 'the state is framed for one watcher')
  const kept = frames(first)
  for (let at = 0; at < 400; at++) frames(event(`m${at}`))
  assert.is.not(frames(first), kept)
  assert.equal(frames(first).payload, kept.payload)
  assert.is.not(frames(other), kept)
})

const maps = '/api/v1/namespaces/default/configmaps'
const objects = 24
const valueBytes = 900_000

interface ListedMaps {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

const metrics = createMetrics(scheme.metrics ?? [], { release: platform.release })

/** Bytes of lists of config maps, as they are counted. */
function listedBytes(): number {
  const lines = metrics.text('prometheus').split('\n')
  const line = lines.find((one) =>
    /^apiserver_response_sizes_sum\{.*"configmaps".*"LIST"/.test(one),
  )
  return Number(line?.split(' ').at(-1) ?? 0)
}

/** A server that does not keep its config maps in memory, with 22 MB of them. */
async function serverWithLargeMaps(): Promise<TestServer> {
  const server = await startTestServer({ uncached: ['/core/configmaps/'], metrics })
  for (let at = 0; at < objects; at++) {
    const metadata = { name: `m${String(at).padStart(2, '0')}`, labels: { few: String(at % 8) } }
    const data = { value: 'x'.repeat(valueBytes) }
    const { status } = await server.request({
      method: 'POST',
      path: maps,
      body: { metadata, data },
    })
    assert.is(status, 201)
  }
  return server
}

/** Bytes of buffers that are in use, once all memory is collected. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString()
}

// L-01 A2.15 L-05
test('a list that is not in memory is read while it is sent, all as of its version', async () => {
  const server = await serverWithLargeMaps()
  try {
    await isReadWhileItIsSent(server)
    await endsWhereItsVersionIsForgotten(server)
  } finally {
    await server.stop()
  }
})

async function isReadWhileItIsSent(server: TestServer): Promise<void> {
  const before = usedBytes()
  const response = await server.open({ path: maps })
  const used = usedBytes() - before
  assert.ok(used < 10e6, `${used} bytes are held for a reader that has taken nothing yet`)
  const change = { metadata: { name: 'm20' }, data: { value: 'new' } }
  await server.request({ method: 'PUT', path: `${maps}/m20`, body: change })
  await server.request({ method: 'DELETE', path: `${maps}/m23` })
  assert.is(listedBytes(), 0, 'how long a list is that is being sent is not known yet')
  const text = await textOf(response)
  assert.is(listedBytes(), text.length)
  const { metadata, items } = JSON.parse(text) as ListedMaps
  assert.is(items.length, objects)
  const exact = `?limit=500&resourceVersion=${metadata.resourceVersion}`
  const paged = await server.request({ path: maps + exact })
  assert.ok(paged.text === text, 'the list of its version is the same, byte by byte')
  for (const [accept, selector] of [
    ['application/json;as=Table;g=meta.orch.io;v=v1', 'few=1'],
    ['application/yaml', 'few=1'],
    ['application/vnd.orch.protobuf', 'few=1'],
    ['application/json', 'few=none'],
  ] as const) {
    const ask = (limit: string) =>
      server.request({
        path: `${maps}?labelSelector=${encodeURIComponent(selector)}${limit}`,
        headers: { accept },
      })
    const [parts, page] = [await ask(''), await ask('&limit=500')]
    const isTable = accept.includes('Table')
    const same = isTable ? withoutAges(parts) === withoutAges(page) : parts.bytes.equals(page.bytes)
    assert.ok(same, accept)
  }
  const gzip = await fetch(server.url + maps, { headers: { 'accept-encoding': 'gzip' } })
  assert.is(gzip.headers.get('content-encoding'), 'gzip')
  assert.is(((await gzip.json()) as ListedMaps).items.length, objects - 1)
}

function withoutAges({ text }: TestResponse): string {
  return text.replaceAll(/"\d+m?\d*s"/g, '"age"')
}

/** An orderly end would say that the list is complete. */
async function endsWhereItsVersionIsForgotten(server: TestServer): Promise<void> {
  const response = await server.open({ path: maps })
  await server.request({ method: 'DELETE', path: `${maps}/m00` })
  await server.forget()
  const error = await textOf(response).catch((reason: NodeJS.ErrnoException) => reason)
  assert.instance(error, Error)
  assert.is((error as NodeJS.ErrnoException).code, 'ECONNRESET')
  const whole = await server.request({ path: maps })
  assert.is((whole.json() as unknown as ListedMaps).items.length, objects - 2)
}

test.run()
