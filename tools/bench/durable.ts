/** Creating Deployments over HTTP with everything that a create does, into a file that is synced at each commit. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../runtime/kernel/time.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { openSqliteStore } from '../../runtime/store/store.ts'
import { type Address, exchange, requestBytes, responses } from './load.ts'

type Report = (
  name: string,
  value: number,
  unit: string,
  limit?: { name: string; value: number },
) => void

const path = '/apis/apps/v1/namespaces/default/deployments?fieldManager=bench'
const writers = 64
const warmMs = 1500
const runMs = 3000

export async function bench(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  try {
    const file = await measure(join(directory, 'server.db'))
    const alone = await storeAlone(join(directory, 'store.db'), file.bytes)
    const beside = { name: 'the store alone with the same bytes', value: alone }
    report(`durable creates over HTTP, ${writers} writers`, file.rate, '/s', beside)
    report('of it, half are answered within', file.middle, 'ms')
    report('of it, 99 of 100 are answered within', file.late, 'ms', {
      name: 'the bound',
      value: 50,
    })
    report('share of the commit in a create', 100 * (file.rate / alone), '%')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Figures {
  readonly rate: number
  /** Of one object as it is stored. */
  readonly bytes: number
  /** Milliseconds. */
  readonly middle: number
  readonly late: number
}

async function measure(file: string): Promise<Figures> {
  const storage = { kind: 'sqlite', file } as const
  const { tree } = await import('../../generated/tree.ts')
  const listen = { host: '127.0.0.1', port: 0 }
  const server = await startApiServer({ tree, storage, clock: systemClock, log: silentLog, listen })
  const { hostname: host, port } = new URL(server.url)
  const address = { host, port: Number(port) }
  await load(address, 'warm', warmMs)
  const began = performance.now()
  const times = (await load(address, 'load', runMs)).sort((a, b) => a - b)
  const seconds = (performance.now() - began) / 1000
  const { body } = await exchange(address, requestBytes('GET', `${path.split('?')[0]}/load-0-0`))
  await server.stop()
  const at = (part: number): number => times[Math.floor(times.length * part)] ?? Number.NaN
  return { rate: times.length / seconds, bytes: body.length, middle: at(0.5), late: at(0.99) }
}

/** Creates per second of a store that keeps `bytes` of each, as many at once. */
async function storeAlone(filename: string, bytes: number): Promise<number> {
  const store = await openSqliteStore({ filename, clock: systemClock })
  const value = Buffer.alloc(bytes, 'x')
  const began = performance.now()
  let written = 0
  const worker = async (writer: number): Promise<void> => {
    for (let at = 0; performance.now() < began + runMs; at++, written++) {
      await store.create(`/apps/deployments/default/store-${writer}-${at}`, value)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => worker(writer)))
  const rate = (written / (performance.now() - began)) * 1000
  await store.close()
  return rate
}

/** Milliseconds of each create. */
async function load(address: Address, prefix: string, ms: number): Promise<number[]> {
  const end = performance.now() + ms
  const times: number[] = []
  const worker = async (writer: number): Promise<void> => {
    const socket = connect(address)
    const answered = responses(socket)
    for (let at = 0; performance.now() < end; at++) {
      const began = performance.now()
      socket.write(requestBytes('POST', path, deployment(`${prefix}-${writer}-${at}`)))
      await answered()
      times.push(performance.now() - began)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => worker(writer)))
  return times
}

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
