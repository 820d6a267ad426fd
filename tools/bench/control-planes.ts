import type { ControlPlane } from '../../runtime/testing/testing.ts'
import type { Report } from './report.ts'

/** How many are started, used and stopped. */
const many = 200

/** How many of one kind are measured, of which the median counts. */
const samples = 21

/** Objects of a control plane that is worth forking. */
const objects = 1000

/** What control planes of the testing kit cost: forks, many of them in one process, and the memory of one. */
export async function bench(report: Report): Promise<void> {
  const { startControlPlane } = await import('orch/testing')
  await using plane = await startControlPlane()
  const fresh = { name: 'a fresh control plane', value: await median(() => startControlPlane()) }
  report('fork of a fresh control plane', await median(() => plane.fork()), 'ms', fresh, {
    atMost: 20,
  })
  await fill(plane)
  const forked = await median(() => plane.fork())
  report(`fork with ${objects} objects`, forked, 'ms', fresh, { atMost: 20 })
  const began = performance.now()
  for (let index = 0; index < many; index++) {
    await using one = await startControlPlane()
    await use(one)
  }
  const seconds = (performance.now() - began) / 1000
  report(`${many} started, used and stopped`, seconds, 's', undefined, { atMost: 20 })
  report('heap of one that runs', await heapOfOne(() => startControlPlane()), 'MiB')
  report(`heap of one fork with ${objects} objects`, await heapOfOne(() => plane.fork()), 'MiB')
}

async function median(start: () => Promise<ControlPlane>): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < samples; index++) {
    const began = performance.now()
    const one = await start()
    times.push(performance.now() - began)
    await one.stop()
  }
  return times.sort((a, b) => a - b)[samples >> 1] ?? Number.NaN
}

const path = '/api/v1/namespaces/default/configmaps'

async function create({ transport }: ControlPlane, name: string): Promise<void> {
  const { body } = await transport.send({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name }, data: { text: 'x'.repeat(500) } }),
  })
  for await (const _ of body);
}

async function fill(plane: ControlPlane): Promise<void> {
  for (let index = 0; index < objects; index++) await create(plane, `object-${index}`)
}

/** A write and a list of it. */
async function use(plane: ControlPlane): Promise<void> {
  await create(plane, 'used')
  const { body } = await plane.transport.send({ method: 'GET', path, headers: {} })
  for await (const _ of body);
}

/** What the heap grows by for each of some that run at the same time. */
async function heapOfOne(start: () => Promise<ControlPlane>): Promise<number> {
  const running: ControlPlane[] = []
  const before = await heapMiB()
  for (let index = 0; index < samples; index++) running.push(await start())
  const grown = (await heapMiB()) - before
  for (const one of running) await one.stop()
  return grown / samples
}

/** What is on the heap once it was collected, and what ended has let go. */
async function heapMiB(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}
