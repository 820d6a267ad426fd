/**
 * The benchmarks. Every figure stands beside the nearest physical limit, measured in the same run, as a ratio: machines
 * differ, ratios less so. Where a figure has a goal, the row says whether it is reached. Arguments are parts of names of
 * benchmarks to run; `--json` prints the figures for machines; `--real-time` lets the hour of `soak` be one. Nothing here is a test.
 */
import { type Figure, figureOf, heading, type Report, rowOf } from './report.ts'

/** What each file of a benchmark exports. */
interface Bench {
  readonly bench: (report: Report, options: { readonly realTime: boolean }) => Promise<void>
}

/** Loaded when they are chosen: the code of one would warm up, or weigh on, another. */
const benches: ReadonlyMap<string, () => Promise<Bench>> = new Map([
  ['startup', () => import('./startup.ts')],
  ['control planes', () => import('./control-planes.ts')],
  ['http', () => import('./http.ts')],
  ['rights', () => import('./rights.ts')],
  ['apply', () => import('./apply.ts')],
  ['cel', () => import('./cel.ts')],
  ['store', () => import('./store.ts')],
  ['store in PostgreSQL', () => import('./postgres.ts')],
  ['server on PostgreSQL', () => import('./postgres-server.ts')],
  ['processes', () => import('./processes.ts')],
  ['agent', () => import('./agent.ts')],
  ['chaos', () => import('./chaos.ts')],
  ['durable', () => import('./durable.ts')],
  ['soak', () => import('./soak.ts')],
  ['watch', () => import('./watch.ts')],
  ['reconcile', () => import('./reconcile.ts')],
  ['operator', () => import('./operator.ts')],
  ['projected', () => import('./projected.ts')],
  ['idle', () => import('./idle.ts')],
  ['cluster', () => import('./cluster.ts')],
  ['memory', () => import('./memory.ts')],
  ['single requests', () => import('./single-requests.ts')],
  ['many objects', () => import('./many-objects.ts')],
  ['generate', () => import('./generate.ts')],
  ['validate', () => import('./validate.ts')],
  ['editor', () => import('./editor.ts')],
  ['build', () => import('./build.ts')],
  ['protobuf', () => import('./protobuf.ts')],
  ['rules', () => import('./rules.ts')],
  ['definitions', () => import('./definitions.ts')],
  ['memory of definitions', () => import('./definition-memory.ts')],
  ['worst bodies', () => import('./worst.ts')],
  ['worst growth', () => import('./worst-growth.ts')],
  ['worst definitions', () => import('./worst-definition-times.ts')],
])

const flags = ['--json', '--real-time']
const [json, realTime] = flags.map((flag) => process.argv.includes(flag))
const parts = process.argv.slice(2).filter((part) => !flags.includes(part))
const chosen = [...benches].filter(
  ([name]) => parts.length === 0 || parts.some((part) => name.includes(part)),
)
if (chosen.length === 0)
  console.error(`no such benchmark; there are ${[...benches.keys()].join(', ')}`)
process.exitCode = chosen.length === 0 ? 1 : 0

const figures: Figure[] = []
if (!json) console.log(heading)
for (const [name, load] of chosen) {
  if (!json) console.log(`\n${name}`)
  const { bench } = await load()
  const report: Report = (...reported) => {
    const figure = figureOf(name, reported)
    figures.push(figure)
    if (!json) console.log(rowOf(figure))
  }
  await bench(report, { realTime: realTime === true })
}
if (json) console.log(JSON.stringify(figures, null, 2))
else console.log(summary(figures))

/** How many goals were reached, and which were not. */
function summary(all: readonly Figure[]): string {
  const judged = all.filter(({ reached }) => reached !== undefined)
  const missed = judged.filter(({ reached }) => reached === false)
  const names = missed.map(({ name }) => `\n  missed: ${name}`).join('')
  return `\n${judged.length - missed.length} of ${judged.length} goals reached${names}`
}
