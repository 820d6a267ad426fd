import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { type Random, systemClock } from '../../../runtime/kernel/async/clock.ts'
import {
  compressionGate,
  watchListGate,
} from '../../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Json } from '../../../runtime/kernel/values/json.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { samplesOf as samplesB } from '../../../tools/compare/samples/policies.ts'
import { samplesOf as samplesA } from '../../../tools/compare/samples/workloads.ts'
import { oddObjects } from '../../support/odd-objects.ts'
import { type OddRequest, oddRequests } from '../../support/odd-requests.ts'

const test = suite('runtime/apiserver: odd requests')
const rounds = Number(process.env.ORCH_ODD_REQUESTS ?? 1500)
const seed = Number(process.env.ORCH_ODD_SEED ?? 11)

/** A generator of numbers that gives the same ones for the same seed. */
function seeded(first: number): Random {
  let state = first
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const bugs: unknown[] = []
const log = {
  ...silentLog,
  error: (event: string, facts?: object, error?: unknown) =>
    bugs.push([event, facts, error instanceof Error ? error.stack : error]),
}
const onRejection = (reason: unknown) => bugs.push(['unhandled', reason])
let server: RunningApiServer

test.before(async () => {
  process.on('unhandledRejection', onRejection)
  server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log,
    gates: new Set([compressionGate, watchListGate]),
    runtimeConfig: ['api/all=true'],
  })
})
test.after(async () => {
  await server.stop()
  process.off('unhandledRejection', onRejection)
})

/** The status and the beginning of the text; a watch is left after a moment. */
async function ask(
  request: OddRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const signal = /[?&/]watch/.test(request.path) ? endingSoon() : undefined
  const { status, body } = await server.dispatch({ ...request, ...(signal && { signal }) })
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return { status, text: Buffer.concat(chunks).toString() }
}

/** Aborts after a moment; unlike `AbortSignal.timeout` it keeps the process running until then. */
function endingSoon(): AbortSignal {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 5)
  return stop.signal
}

function placeOf(sample: Json): string {
  const { apiVersion, kind } = sample as {
    apiVersion: string
    kind: string
  }
  const found = Object.entries(scheme.routes).find(
    ([path, one]) => path.includes(`/${apiVersion}/`) && one.kind === kind,
  )
  const [path = '', served] = found ?? []
  if (served?.scope !== 'Namespaced') return `/${path}`
  const slash = path.lastIndexOf('/')
  return `/${path.slice(0, slash)}/namespaces/default${path.slice(slash)}`
}

const domain = 'orch.io'
const samples = [...samplesA(domain), ...samplesB(domain)].map((sample) => {
  const { namespace, ...metadata } = sample.metadata as { namespace?: string }
  return { ...sample, metadata } as unknown as Json
})

async function restore(): Promise<void> {
  for (const sample of samples) {
    const headers = { 'content-type': 'application/json' }
    await ask({ method: 'POST', path: placeOf(sample), headers, body: JSON.stringify(sample) })
  }
}

test('no request makes a mistake of ours, whatever it asks for and holds', async () => {
  const random = seeded(seed)
  const next = oddRequests({ scheme, random, odd: await oddObjects(scheme), samples })
  const counts = new Map<number, number>()
  for (let round = 0; round < rounds; round++) {
    if (round % 250 === 0) await restore()
    const request = next()
    const { status, text } = await ask(request)
    counts.set(status, (counts.get(status) ?? 0) + 1)
    const told = `round ${round} of seed ${seed}: ${JSON.stringify({ ...request, body: String(request.body ?? '') })}`
    assert.not.match(text, /"reason":"InternalError"/, told)
    assert.equal(bugs, [], told)
  }
  const [fine, refused] = [counts.get(200) ?? 0, counts.get(422) ?? 0]
  assert.ok(fine > rounds / 20 && refused > rounds / 100, JSON.stringify([...counts]))
  if (process.env.ORCH_ODD_REQUESTS) console.log([...counts])
})

test.run()
