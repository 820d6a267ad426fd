import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toApiResponse } from '../../../../runtime/server/http/in-process.ts'
import { type BodyStream, frameOf, type Sink } from '../../../../runtime/server/http/response.ts'

const test = suite('runtime/server: in process')

function response(body: BodyStream, signal?: AbortSignal) {
  return toApiResponse({ status: 200, headers: [], body }, 'GET', signal)
}

test('a stream arrives piece by piece', async () => {
  const { body } = response(async (sink) => {
    sink.write(frameOf(Buffer.from('a')))
    await Promise.resolve()
    sink.write(frameOf(Buffer.from('b')))
  })
  const seen: string[] = []
  for await (const chunk of body) seen.push(Buffer.from(chunk).toString())
  assert.equal(seen, ['a', 'b'])
})

test('a writer waits for a reader that is behind', async () => {
  const big = frameOf(Buffer.alloc(300_000))
  let written = 0
  const { body } = response(async (sink) => {
    for (; written < 3; written++) if (!sink.write(big)) await sink.drained()
  })
  const reader = body[Symbol.asyncIterator]()
  await reader.next()
  assert.ok(written < 3)
  await reader.next()
  await reader.next()
  assert.is((await reader.next()).done, true)
  assert.is(written, 3)
})

/** A stream that ends only when its reader is gone. */
function endless(): { readonly stream: BodyStream; readonly left: Promise<void> } {
  let leave = (): void => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const stream = async (sink: Sink): Promise<void> => {
    sink.onClose(leave)
    sink.write(frameOf(Buffer.from('a')))
    await left
  }
  return { stream, left }
}

test('a reader that leaves ends the stream', async () => {
  const { stream, left } = endless()
  for await (const _ of response(stream).body) break
  await left
})

test('a signal ends the stream for both', async () => {
  const { stream, left } = endless()
  const leaving = new AbortController()
  for await (const _ of response(stream, leaving.signal).body) leaving.abort()
  await left
})

test('a failing stream fails its reader', async () => {
  const { body } = response(async () => {
    throw new Error('oops')
  })
  const failed = await (async () => {
    for await (const _ of body);
  })().catch((error: unknown) => String(error))
  assert.is(failed, 'Error: oops')
})

test('a frame holds its piece and the same bytes as a chunk', () => {
  const { payload, chunk } = frameOf(Buffer.from('0123456789abcdef'))
  assert.is(Buffer.from(payload).toString(), '0123456789abcdef')
  assert.is(Buffer.from(chunk).toString(), '10\r\n0123456789abcdef\r\n')
})

test.run()
