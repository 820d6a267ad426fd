/**
 * No request takes more than linear work: the number of steps that the server's code takes, counted by the engine, grows as the
 * number of items does. No clock is involved, so that other programs change nothing.
 */
import { request as httpRequest } from 'node:http'
import { type Profiler, Session } from 'node:inspector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Growing, GrowingRequest } from '../../../tools/bench/growing/all.ts'

let counting = true
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** How often any part of the code ran since the last call. */
function steps(): number {
  if (!counting) return 0
  let sum = 0
  session.post('Profiler.takePreciseCoverage', (error, given) => {
    if (error) throw error
    for (const { functions } of ownScripts(given.result)) {
      for (const { ranges } of functions) for (const { count } of ranges) sum += count
    }
  })
  return sum
}

function ownScripts(scripts: readonly Profiler.ScriptCoverage[]) {
  return scripts.filter(({ url }) => /\/dist\/(?:runtime|generated|bundled)\//.test(url))
}

// Only what is loaded from here on is counted.
const { growingRequests } = await import('../../../tools/bench/growing/all.ts')
const { startServerOfAll } = await import('../../../tools/bench/growing/server.ts')

const few = 64
/** Four times the items may take so much more work: sorting takes a little more than four times. */
const most = 4.7

test('the work of a request is linear in the number of its items, up to the most that it reaches its route with', async () => {
  const server = await startServerOfAll()
  const found: string[] = []
  const sent = async (at: number, n: number): Promise<void> => {
    const { name, before, request, status } = growingRequests[at] as Growing
    const object = `g${at}x${n}`
    const ask = async (one: GrowingRequest, wanted: number): Promise<void> => {
      const answered = await send(server.url, one)
      if (answered !== wanted) found.push(`${name}: ${n} items are answered with ${answered}`)
    }
    for (const one of before?.(n, object) ?? []) await ask(one, 201)
    const asked = request(n, object)
    steps()
    await ask(asked, status)
  }
  for (const [at, { name }] of growingRequests.entries()) {
    await sent(at, 5)
    await sent(at, few)
    const some = steps()
    await sent(at, 4 * few)
    const more = steps()
    if (some === 0) found.push(`${name}: no steps were counted`)
    if (more > most * some) found.push(`${name}: ${some} steps, then ${more}`)
  }
  // Counting is most of what this test costs.
  session.post('Profiler.stopPreciseCoverage')
  counting = false
  for (const [at, { most: all }] of growingRequests.entries()) await sent(at, all)
  await server.stop()
  assert.equal(found, [])
})

function send(
  url: string,
  { method, path, type = 'application/json', body }: GrowingRequest,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text) }
    const sent = httpRequest(url + path, { method, headers, agent: false })
    sent.on('response', (response) =>
      response.resume().on('close', () => resolve(response.statusCode ?? 0)),
    )
    sent.on('error', reject)
    sent.end(text)
  })
}

test.run()
