import { clusterStyles } from '../styles/cluster.ts'
import { dataStyles } from '../styles/data.ts'
import { deliveryStyles } from '../styles/delivery.ts'
import { largeStyles } from '../styles/large.ts'
import type { Style } from '../styles/styles.ts'
import { trafficStyles } from '../styles/traffic.ts'
import { startInProcessServer } from './in-process-server.ts'
import type { Report } from './report.ts'

/** Definitions as real projects have them. */
const small: readonly Style[] = [
  ...trafficStyles,
  ...deliveryStyles,
  ...dataStyles,
  ...clusterStyles,
]

/** From the request that creates a definition to the answer that says it is established. */
export async function bench(report: Report): Promise<void> {
  const server = await startInProcessServer()
  try {
    const times: number[] = []
    for (const { definition } of small) times.push(await timed(() => server.define(definition)))
    times.sort((a, b) => a - b)
    report(
      `one of ${small.length} styles, the median`,
      times[times.length >> 1] ?? 0,
      'ms',
      undefined,
      goal,
    )
    report('the slowest of them', times.at(-1) ?? 0, 'ms', undefined, goal)
    for (const style of largeStyles) await several(style, server.define, report)
  } finally {
    await server.stop()
  }
}

/** How often a large definition is created, each time under another name. */
const again = 6
/** Milliseconds until a kind is served: a client that waits for it hardly notices. */
const goal = { atMost: 200 }

/** The first of a kind pays for code that nothing used before; the others tell what the definition costs. */
async function several(
  { kind, definition }: Style,
  define: (text: string) => Promise<void>,
  report: Report,
): Promise<void> {
  const text = JSON.stringify(definition)
  const times: number[] = []
  const parsing: number[] = []
  for (let count = 0; count < again; count++) {
    const named = text
      .replaceAll(`"${kind}"`, `"${kind}${count}"`)
      .replaceAll(`${kind.toLowerCase()}s`, `${kind.toLowerCase()}${count}s`)
    times.push(await timed(() => define(named)))
    parsing.push(await timed(async () => void JSON.parse(named)))
  }
  const size = `${Math.round(text.length / 1024)} KiB`
  const limit = { name: 'JSON.parse of it', value: Math.min(...parsing) }
  report(`${kind}, ${size}: the first`, times[0] ?? 0, 'ms', limit, goal)
  const later = times.slice(1).sort((a, b) => a - b)[2] ?? 0
  report(`${kind}, ${size}: later ones`, later, 'ms', limit, goal)
}

/** Milliseconds until the work is done. */
async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
