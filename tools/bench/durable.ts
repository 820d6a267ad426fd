/** Creates over HTTP with everything that a create does, into a file that is synced at each commit. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../runtime/store/store.ts'
import { type Address, requestBytes, responses } from './load.ts'
import type { Report } from './report.ts'
import { bodyOf, startServer } from './servers.ts'

/** Clients that create at once, each waiting for its answer: what a busy cluster has. */
const writers = 64
/** Long enough for the code of a create to be optimized before it is measured. */
const warmMs = 2500
const runMs = 3000

/** What is created: a plain object of 2 KiB, and one with a schema, rules and defaults of some depth. */
const kinds = [
  { name: 'ConfigMap of 2 KiB', path: '/api/v1/namespaces/default/configmaps', text: configMap },
  { name: 'Deployment', path: '/apis/apps/v1/namespaces/default/deployments', text: deployment },
] as const

/** What one of the measured kinds is. */
type Created = (typeof kinds)[number]

/**
 * Creates by 64 writers on a file whose log is synced before each answer: how many a second, how late the slowest of a
 * hundred.
 */
export async function bench(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  try {
    for (const [at, kind] of kinds.entries()) await measure(report, kind, join(directory, `${at}`))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** One kind on a file of its own: rate, delays and processor time, beside the store without a server. */
async function measure(report: Report, kind: Created, file: string): Promise<void> {
  const server = await startServer('file', `${file}.db`)
  await load(server.address, kind, 'warm', warmMs)
  const before = await server.cpu()
  const began = performance.now()
  const times = (await load(server.address, kind, 'load', runMs)).sort((a, b) => a - b)
  const rate = (times.length / (performance.now() - began)) * 1000
  const micros = ((await server.cpu()) - before) / times.length
  const { length } = await bodyOf(server, `${kind.path}/load-0-0`)
  await server.stop()
  const alone = await storeAlone(`${file}-alone.db`, length)
  const late = times[Math.floor(times.length * 0.99)] ?? Number.NaN
  const name = `durable creates, ${writers} writers: ${kind.name}`
  const limit = { name: 'the store alone with as many bytes', value: alone.rate }
  report(name, rate, '/s', limit, { atLeast: 3500 })
  report('  half are answered within', times[times.length >> 1] ?? Number.NaN, 'ms')
  report('  99 of 100 are answered within', late, 'ms', undefined, { atMost: 50 })
  const work = { name: 'the whole create', value: micros }
  report('  processor of the commit', alone.micros, 'us', work)
}

/** Creates per second of a store that keeps `bytes` of each, as many at once, and the processor time of one. */
async function storeAlone(
  filename: string,
  bytes: number,
): Promise<{ readonly rate: number; readonly micros: number }> {
  const store = await openSqliteStore({ filename, clock: systemClock })
  const value = Buffer.alloc(bytes, 'x')
  const before = process.cpuUsage()
  const began = performance.now()
  let written = 0
  const worker = async (writer: number): Promise<void> => {
    for (let at = 0; performance.now() < began + runMs; at++, written++) {
      await store.create(`/apps/deployments/default/store-${writer}-${at}`, value)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => worker(writer)))
  const rate = (written / (performance.now() - began)) * 1000
  const { user, system } = process.cpuUsage(before)
  await store.close()
  return { rate, micros: (user + system) / written }
}

/** Milliseconds of each create. */
async function load(
  address: Address,
  { path, text }: Created,
  prefix: string,
  ms: number,
): Promise<number[]> {
  const end = performance.now() + ms
  const times: number[] = []
  const worker = async (writer: number): Promise<void> => {
    const socket = connect(address)
    const answered = responses(socket)
    for (let at = 0; performance.now() < end; at++) {
      const began = performance.now()
      socket.write(requestBytes('POST', path, text(`${prefix}-${writer}-${at}`)))
      await answered()
      times.push(performance.now() - began)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => worker(writer)))
  return times
}

/** 2 KiB once the server has added what it adds. */
function configMap(name: string): string {
  const labels = { app: 'bench' }
  return JSON.stringify({ metadata: { name, labels }, data: { value: 'x'.repeat(1700) } })
}

/** An object of ordinary depth, so that defaults, rules and managed fields cost what they usually do. */
function deployment(name: string): string {
  const app = { app: name }
  return JSON.stringify({
    metadata: { name, labels: app },
    spec: {
      replicas: 3,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app, annotations: { note: 'x'.repeat(600) } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'registry.example/web:1.2.3',
              ports: [{ containerPort: 8080 }],
              env: [{ name: 'MODE', value: 'production' }],
              resources: { requests: { cpu: '100m', memory: '64Mi' } },
            },
          ],
        },
      },
    },
  })
}
