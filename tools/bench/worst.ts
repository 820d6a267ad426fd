import { request } from 'node:http'
import { startProbedServer } from './probed-server.ts'
import type { Report } from './report.ts'
import { type Attack, attacks, beginnings } from './worst-bodies.ts'

/** What one request may hold the event loop up for, in milliseconds. */
const goal = { atMost: 50 }

/**
 * The worst requests that we could make, each with the longest time that the server's event loop stood still: the best of
 * three, for other programs take the processor too.
 */
export async function bench(report: Report): Promise<void> {
  const server = await startProbedServer()
  try {
    for (const warm of [...beginnings, ...attacks().slice(0, 1)]) await send(server.url, warm)
    const before = await server.probe('begin')
    let rss = before.rss
    for (const attack of attacks()) {
      const tries: number[] = []
      let status = 0
      for (let time = 0; time < 3; time++) {
        for (const one of beginnings) await send(server.url, one)
        await server.probe('begin')
        status = await send(server.url, attack)
        const after = await server.probe('end')
        tries.push(after.delayMs)
        rss = Math.max(rss, after.rss)
      }
      report(`${attack.name} (${status})`, Math.min(...tries), 'ms', undefined, goal)
    }
    report('worst bodies: memory grown by', (rss - before.rss) / 2 ** 20, 'MiB')
  } finally {
    server.stop()
  }
}

/** The status of the answer, after its last byte; -1 where the server hung up. */
function send(url: string, { method, path, headers, body }: Attack): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url + path, { method, headers: headers ?? {}, agent: false })
    sent.on('response', (response) => {
      response.resume()
      response.on('close', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', () => resolve(-1))
    sent.end(body)
  })
}
