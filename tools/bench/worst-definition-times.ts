import { type ProbedServer, startProbedServer } from './probed-server.ts'
import type { Report } from './report.ts'
import { group, type WorstDefinition, worstDefinitions } from './worst-definitions.ts'

/** What one definition or object may hold the event loop up for, in milliseconds. */
const goal = { atMost: 50 }
/** Other programs take the processor: the best of three is what the definition itself takes. */
const tries = 3

/**
 * The worst definitions and the worst object of rules, each with the longest time that the server's event loop stood
 * still from the request until the kind is served: the best of three, for other programs take the processor too.
 */
export async function bench(report: Report): Promise<void> {
  const server = await startProbedServer()
  try {
    await held(server, worstDefinitions()[0] as WorstDefinition, 'warm')
    for (const [at, worst] of worstDefinitions().entries()) {
      const found: Held[] = []
      for (let time = 0; time < tries; time++) {
        found.push(await held(server, worst, `w${at}x${time}`))
      }
      const least = Math.min(...found.map(({ delayMs }) => delayMs))
      const response = found[0] as Held
      report(`${worst.name} (${response.status})`, least, 'ms', undefined, goal)
      report(`${worst.name}: in all`, Math.min(...found.map(({ tookMs }) => tookMs)), 'ms')
    }
  } finally {
    server.stop()
  }
}

/** The longest hold of the event loop, and the milliseconds in all. */
interface Held {
  readonly status: number
  readonly delayMs: number
  readonly tookMs: number
}

/** Defines a kind under a new name; where there is an object, the kind is made before and the object is measured. */
async function held(
  server: ProbedServer,
  { definition, object }: WorstDefinition,
  word: string,
): Promise<Held> {
  const plural = `${word}s`
  const path = `${server.url}/apis/apiextensions.orch.io/v1/customresourcedefinitions`
  const given = definition(plural)
  const body = JSON.stringify(given)
  const define = async () => {
    const status = await post(path, body)
    if (status === 201) await established(`${path}/${given.metadata.name}`)
    return status
  }
  if (object === undefined) return probed(server, define)
  await define()
  const kind = `${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}`
  const one = { apiVersion: `${group}/v1`, kind, metadata: { name: 'a' }, ...object }
  const objects = `${server.url}/apis/${group}/v1/namespaces/default/${plural}`
  return probed(server, () => post(objects, JSON.stringify(one)))
}

/** Measures one piece of work on the server. */
async function probed(server: ProbedServer, work: () => Promise<number>): Promise<Held> {
  await server.probe('begin')
  const began = performance.now()
  const status = await work()
  const tookMs = performance.now() - began
  const { delayMs } = await server.probe('end')
  return { status, delayMs, tookMs }
}

/** The status of a create. */
async function post(path: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response.status
}

/** Waits until the definition says that its kind is served. */
async function established(path: string): Promise<void> {
  const end = performance.now() + 20_000
  while (performance.now() < end) {
    const response = await fetch(path)
    if ((await response.text()).includes('"type":"Established","status":"True"')) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
