/** An hour of writes, 100 a second, into a server on a file: whether the file stays as large as what is kept. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from './report.ts'
import { type SoakSample, soak } from './soak-run.ts'

/** How the hour passes. */
export interface SoakBenchOptions {
  readonly realTime?: boolean
}

const [seconds, writesPerSecond] = [3600, 100]

/**
 * The hour is one of a virtual clock, and takes as long as its 360,000 writes; with `--real-time` it is one of the machine,
 * and each minute is told.
 */
export async function bench(report: Report, { realTime = false }: SoakBenchOptions): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  const file = join(directory, 'store.db')
  const onMinute = realTime ? { onMinute: (sample: SoakSample) => console.error(line(sample)) } : {}
  const began = performance.now()
  try {
    const soaked = await soak({ file, seconds, writesPerSecond, realTime, ...onMinute })
    const rate = (seconds * writesPerSecond * 1000) / (performance.now() - began)
    const name = 'largest file in an hour, of what is kept'
    report(name, soaked.largestShare, '', undefined, { atMost: 2 })
    report('file after an hour', soaked.bytes / 2 ** 20, 'MiB')
    report('largest write-ahead log beside it', soaked.largestLogBytes / 2 ** 20, 'MiB')
    report('memory of the process after it', process.memoryUsage.rss() / 2 ** 20, 'MiB')
    report('writes while it lasted', rate, '/s')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A minute of the hour. */
function line({ seconds: elapsed, writes, bytes, logBytes, keptBytes }: SoakSample): string {
  const mib = (count: number) => `${(count / 2 ** 20).toFixed(1)} MiB`
  const share = (bytes / keptBytes).toFixed(2)
  const memory = mib(process.memoryUsage.rss())
  return `${elapsed / 60} min: ${writes} writes, file ${mib(bytes)}, log ${mib(logBytes)}, ${share} of ${mib(keptBytes)} kept, memory ${memory}`
}
