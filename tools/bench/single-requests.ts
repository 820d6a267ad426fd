/** What single requests of one client cost a server over a file: processor time, bytes on the disk, and the slowest of a hundred. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestBytes } from './load.ts'
import { type MeasuredServer, startMeasured } from './measured-server.ts'
import type { Report } from './report.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const requests = 1000

/** What requests of one kind took, each. */
interface Cost {
  readonly cpuMs: number
  readonly bytes: number
  readonly medianMs: number
  readonly p99Ms: number
}

export async function bench(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-single-'))
  const server = await startMeasured(`sqlite:${join(folder, 'store.db')}`, [])
  try {
    await benchCreates(server, report)
    await benchChanges(server, report)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

async function benchCreates(server: MeasuredServer, report: Report): Promise<void> {
  let made = 0
  const create = () => {
    const body = { metadata: { name: `m${made++}` }, data: { value: 'x'.repeat(100) } }
    return requestBytes('POST', maps, JSON.stringify(body))
  }
  const first = await costOf(server, requests, create)
  for (let round = 0; round < 2; round++) await costOf(server, requests, create)
  const later = await costOf(server, requests, create)
  const laterOnes = { name: 'one of the fourth thousand', value: later.cpuMs }
  report('a create of the first thousand, processor', first.cpuMs, 'ms', laterOnes)
  report('a create, written to the disk', later.bytes / 1024, 'KiB')
  const median = { name: 'the median', value: later.medianMs }
  report('a create, 99 of 100 within', later.p99Ms, 'ms', median)
}

async function benchChanges(server: MeasuredServer, report: Report): Promise<void> {
  await server.exchange(requestBytes('POST', deployments, JSON.stringify(deployment('0'))))
  const path = `${deployments}/web`
  const update = (at: number) => requestBytes('PUT', path, JSON.stringify(deployment(`${at}`)))
  const patch = (at: number) => {
    const body = JSON.stringify({ status: { replicas: at % 5, observedGeneration: at } })
    return requestBytes('PATCH', `${path}/status`, body, {
      type: 'application/merge-patch+json',
    })
  }
  const get = () => requestBytes('GET', path)
  const [updateMs = 0, patchMs = 0, getMs = 0] = await cpuByTurns(server, [update, patch, get])
  const updated = { name: 'an update', value: updateMs }
  report('a patch of the status, processor', patchMs, 'ms', updated)
  report('a get, processor', getMs, 'ms', updated)
}

/** The processor time of requests of each kind, in rounds that take turns: a process becomes faster while it is measured. */
async function cpuByTurns(
  server: MeasuredServer,
  kinds: readonly ((at: number) => Buffer)[],
): Promise<readonly number[]> {
  const rounds = 5
  const sums = kinds.map(() => 0)
  for (const next of kinds) await costOf(server, requests, next)
  for (let round = 0; round < rounds; round++) {
    for (const [index, next] of kinds.entries()) {
      sums[index]! += (await costOf(server, requests / rounds, next)).cpuMs
    }
  }
  return sums.map((sum) => sum / rounds)
}

/** Sends requests one after the other. */
async function costOf(
  server: MeasuredServer,
  count: number,
  next: (at: number) => Buffer,
): Promise<Cost> {
  const [cpu, bytes] = [server.cpuMs(), server.writtenBytes()]
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const began = performance.now()
    const answer = await server.exchange(next(at))
    if (!/^HTTP\/1.1 20/.test(answer)) throw new Error(answer)
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const within = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
  return {
    cpuMs: (server.cpuMs() - cpu) / count,
    bytes: (server.writtenBytes() - bytes) / count,
    medianMs: within(0.5),
    p99Ms: within(0.99),
  }
}

function deployment(at: string): object {
  const container = {
    name: 'web',
    image: 'web:1',
    ports: [{ containerPort: 80 }],
    env: [{ name: 'A', value: at }],
    resources: { requests: { cpu: '100m', memory: '64Mi' } },
  }
  return {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
    },
  }
}
