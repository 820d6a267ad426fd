/** Controllers: how fast their caches fill, how many runs they make, how soon a change wakes them. Server and controllers share the process. */
import { configMaps } from '../../generated/apis/core/v1/config-map.ts'
import type { Client } from '../../runtime/client/client.ts'
import { createInformer } from '../../runtime/informer/informer.ts'
import { createManager, defineController, done } from '../../runtime/reconcile/reconcile.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import type { Report } from './report.ts'

const objects = 10_000
const changes = 1000

/** The figures of issue-sized operators: 10,000 small objects. */
export async function bench(report: Report): Promise<void> {
  await using plane = await startControlPlane()
  const { client } = plane
  await createObjects(client)
  await caches(client, report)
  await runs(client, report)
  await wakeUps(client, report)
}

async function createObjects(client: Client): Promise<void> {
  const maps = client.resource(configMaps)
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < objects) {
      const name = `m${next++}`
      await maps.create({ metadata: { name, labels: { app: 'bench' } }, data: { value: name } })
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

async function caches(client: Client, report: Report): Promise<void> {
  const stop = new AbortController()
  const informer = createInformer(client.resource(configMaps))
  const before = heapBytes()
  const began = performance.now()
  const running = informer.run(stop.signal)
  await informer.synced
  report(`${objects} objects cached`, performance.now() - began, 'ms', undefined, { atMost: 1000 })
  const each = (heapBytes() - before) / objects / 1024
  if (globalThis.gc !== undefined) {
    report('memory of one of them', each, 'KiB', undefined, { atMost: 3 })
  }
  stop.abort()
  await running
}

/** Bytes that are in use after a collection, where the process may ask for one (`node --expose-gc`). */
function heapBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

async function runs(client: Client, report: Report): Promise<void> {
  const stop = new AbortController()
  let count = 0
  let finish = (): void => {}
  const all = new Promise<void>((resolve) => {
    finish = resolve
  })
  const controller = defineController({
    ...{ name: 'no-op', for: configMaps, owns: [] },
    async reconcile() {
      if (++count === objects) finish()
      return done
    },
  })
  const manager = createManager({ client, controllers: [controller] })
  const running = manager.run(stop.signal)
  await manager.ready
  const [began, first] = [performance.now(), count]
  await all
  const rate = ((objects - first) / (performance.now() - began)) * 1000
  report('runs that do nothing', rate, '/s', undefined, { atLeast: 5000 })
  stop.abort()
  await running
}

/** From the request of a write to the begin of the run that it wakes; and from its answer, which the commit is just before. */
async function wakeUps(client: Client, report: Report): Promise<void> {
  const stop = new AbortController()
  let woken: ((at: number) => void) | undefined
  const controller = defineController({
    ...{ name: 'wake-up', for: configMaps },
    async reconcile() {
      woken?.(performance.now())
      return done
    },
    scope: { fieldSelector: 'metadata.name=m0' },
  })
  const manager = createManager({ client, controllers: [controller] })
  const running = manager.run(stop.signal)
  await manager.ready
  const maps = client.resource(configMaps)
  const [fromRequest, fromAnswer]: [number[], number[]] = [[], []]
  for (let change = 0; change < changes; change++) {
    const at = new Promise<number>((resolve) => {
      woken = resolve
    })
    const began = performance.now()
    await maps.mergePatch('m0', { data: { value: String(change) } })
    const answered = performance.now()
    const run = await at
    fromRequest.push(run - began)
    fromAnswer.push(Math.max(0, run - answered))
  }
  stop.abort()
  await running
  report('request to run, median', portion(fromRequest, 0.5), 'ms', undefined, { atMost: 5 })
  report('commit to run, 99 of 100', portion(fromAnswer, 0.99), 'ms', undefined, { atMost: 5 })
}

/** The value that so large a portion of the values is not above. */
function portion(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? 0
}
