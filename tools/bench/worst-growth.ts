import { request as httpRequest } from 'node:http'
import { type Growing, type GrowingRequest, growingRequests } from './growing/all.ts'
import { type ProbedServer, startProbedServer } from './probed-server.ts'
import type { Report } from './report.ts'

/** What one request may hold the event loop up for, in milliseconds. */
const held = { atMost: 50 }
/** How much more processor time four times the items may take: sorting takes a little more than four times, noise some. */
const grown = { atMost: 6 }
/** Below so many milliseconds a ratio says nothing. */
const least = 20
/** Other programs take the processor: the best of three is what the request itself takes. */
const tries = 3

/**
 * Every request that can hold many of one thing, at a quarter, half and all of the items that the limits let through: the
 * longest hold of the event loop, and how processor time grows. The best of three, for other programs take the processor.
 */
export async function bench(report: Report): Promise<void> {
  const server = await startProbedServer()
  try {
    let serial = 0
    for (const growing of growingRequests) {
      const found: Found[] = []
      for (const items of [5, growing.most / 4, growing.most / 2, growing.most]) {
        const each: Found[] = []
        for (let time = 0; time < tries; time++) {
          each.push(await probed(server, growing, Math.floor(items), `g${serial++}`))
        }
        found.push(best(each))
      }
      const [quarter, , all] = found.slice(1) as [Found, Found, Found]
      const wanted = all.status === growing.status
      const answer = wanted ? all.status : `${all.status}, not ${growing.status}`
      report(
        `${growing.name} (${answer})`,
        wanted ? all.delayMs : Number.NaN,
        'ms',
        undefined,
        held,
      )
      if (all.cpuMs < least) continue
      const ratio = all.cpuMs / Math.max(quarter.cpuMs, least / 4)
      report(`${growing.name}: four times as many`, ratio, 'times', undefined, grown)
    }
  } finally {
    server.stop()
  }
}

/** What a request came to. */
interface Found {
  readonly status: number
  readonly delayMs: number
  readonly cpuMs: number
}

/** The least delay and the least processor time of all tries, which need not be of one try. */
function best(found: readonly Found[]): Found {
  return {
    status: found[0]!.status,
    delayMs: Math.min(...found.map(({ delayMs }) => delayMs)),
    cpuMs: Math.min(...found.map(({ cpuMs }) => cpuMs)),
  }
}

/** Makes what the request needs, then measures it alone. `n` is the number of items, `name` is new each time. */
async function probed(
  server: ProbedServer,
  { before, request }: Growing,
  n: number,
  name: string,
): Promise<Found> {
  for (const one of before?.(n, name) ?? []) {
    const status = await send(server.url, one)
    if (status !== 201) throw new Error(`${one.method} ${one.path} is answered with ${status}`)
  }
  const asked = request(n, name)
  await server.probe('begin')
  const status = await send(server.url, asked)
  const { delayMs, cpuMs } = await server.probe('end')
  return { status, delayMs, cpuMs }
}

/** The status of the answer, after its last byte; -1 where there was none. */
function send(url: string, { method, path, type, body }: GrowingRequest): Promise<number> {
  return new Promise((resolve) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    // A length that is not said would leave the body of a DELETE out.
    const headers = {
      'content-type': type ?? 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    const sent = httpRequest(url + path, { method, headers, agent: false })
    sent.on('response', (response) => {
      response.resume()
      response.on('close', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', () => resolve(-1))
    sent.end(text)
  })
}
