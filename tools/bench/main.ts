/**
 * The benchmarks. Every figure stands beside the nearest physical limit, measured in the same run, as a ratio: machines
 * differ, ratios less so. Arguments are parts of names of benchmarks to run. Nothing here is a test.
 */
interface Limit {
  readonly name: string
  readonly value: number
}

type Report = (name: string, value: number, unit: string, limit?: Limit) => void

interface Bench {
  readonly bench: (report: Report) => Promise<void>
}

const benches: ReadonlyMap<string, () => Promise<Bench>> = new Map([
  ['startup', () => import('./startup.ts')],
  ['http', () => import('./http.ts')],
  ['apply', () => import('./apply.ts')],
  ['cel', () => import('./cel.ts')],
  ['store', () => import('./store.ts')],
  ['durable', () => import('./durable.ts')],
  ['watch', () => import('./watch.ts')],
  ['idle', () => import('./idle.ts')],
  ['generate', () => import('./generate.ts')],
  ['protobuf', () => import('./protobuf.ts')],
  ['rules', () => import('./rules.ts')],
  ['definitions', () => import('./definitions.ts')],
  ['worst bodies', () => import('./worst.ts')],
])

const parts = process.argv.slice(2)
const chosen = [...benches].filter(
  ([name]) => parts.length === 0 || parts.some((part) => name.includes(part)),
)
if (chosen.length === 0)
  console.error(`no such benchmark; there are ${[...benches.keys()].join(', ')}`)
process.exitCode = chosen.length === 0 ? 1 : 0

for (const [name, load] of chosen) {
  console.log(`\n${name}`)
  const { bench } = await load()
  await bench(print)
}

function print(name: string, value: number, unit: string, limit?: Limit): void {
  const beside =
    limit === undefined
      ? ''
      : `   ${(value / limit.value).toFixed(2)} of ${limit.name} (${figure(limit.value)} ${unit})`
  console.log(`  ${name.padEnd(44)} ${figure(value).padStart(10)} ${unit}${beside}`)
}

function figure(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
