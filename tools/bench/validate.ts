/** `orch validate` over manifests of mixed kinds, whole processes with an empty cache, beside kubeconform where there is one. */
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeManifests } from './manifests.ts'
import type { Limit, Report } from './report.ts'
import { median } from './servers.ts'

const command = fileURLToPath(new URL('../orch/main.js', import.meta.url))

/** Prints the most memory that the process had, in KiB. */
const withPeak =
  'data:text/javascript,process.on("exit",()=>console.error("peak="+process.resourceUsage().maxRSS))'

/** The program to compare with: `ORCH_BENCH_KUBECONFORM` has its path. */
const kubeconform = process.env.ORCH_BENCH_KUBECONFORM
/** How many files the last row of memory has. */
const most = Number(process.env.ORCH_BENCH_MANIFESTS ?? 10_000)

/** How long a thousand manifests take, and how memory grows with their number. */
export async function bench(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-bench-'))
  try {
    await writeManifests(join(folder, 'some'), 1000)
    const name = '1,000 manifests'
    const args = [command, 'validate', join(folder, 'some')]
    const limit = { name: 'an empty node process', value: timeOf(process.execPath, ['-e', '0']) }
    report(name, timeOf(process.execPath, args), 'ms', limit, { atMost: 1500 })
    const other = kubeconform === undefined ? undefined : otherLimit(folder, kubeconform)
    if (other) {
      const goal = { atMost: 1, of: 'limit' } as const
      report(`${name}, beside kubeconform`, timeOf(process.execPath, args), 'ms', other, goal)
    }
    await writeManifests(join(folder, 'many'), most)
    const few = { name: 'peak of 1,000 files', value: peakOf(args) }
    const many = peakOf([command, 'validate', join(folder, 'many')])
    const title = `peak memory, ${most.toLocaleString('en')} manifests`
    report(title, many, 'MiB', few, { atMost: 1.5, of: 'limit' })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The other program over the same files and the schemas that are published here. */
function otherLimit(folder: string, program: string): Limit {
  const schemas = join(folder, 'schemas')
  run(process.execPath, [command, 'json-schema', '--out', schemas])
  // It takes the version for the group of kinds without one.
  symlinkSync('core', join(schemas, 'v1'))
  const location = `${schemas}/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`
  const args = ['-strict', '-schema-location', location, join(folder, 'some')]
  return { name: 'kubeconform', value: timeOf(program, args) }
}

function timeOf(program: string, args: readonly string[]): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now()
    run(program, args)
    return performance.now() - start
  })
  return median(times)
}

function peakOf(args: readonly string[]): number {
  const told = run(process.execPath, ['--import', withPeak, ...args])
  const peaks = [...told.matchAll(/peak=(\d+)/g)].map(([, kib]) => Number(kib))
  return Math.max(...peaks) / 1024
}

function run(program: string, args: readonly string[]): string {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${stderr}`)
  return stderr
}
