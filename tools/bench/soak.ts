/** An hour of writes, 100 a second, into a server on a file: whether the file stays as large as what is kept. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from './report.ts'
import { soak } from './soak-run.ts'

/** The hour is one of a virtual clock: it takes as long as its 360,000 writes. */
export async function bench(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  const began = performance.now()
  const [seconds, writesPerSecond] = [3600, 100]
  const file = join(directory, 'store.db')
  const { bytes, largestShare } = await soak({ file, seconds, writesPerSecond })
  const rate = (seconds * writesPerSecond * 1000) / (performance.now() - began)
  rmSync(directory, { recursive: true, force: true })
  report('largest file in an hour, of what is kept', largestShare, '', undefined, { atMost: 2 })
  report('file after an hour', bytes / 2 ** 20, 'MiB')
  report('writes while it lasted', rate, '/s')
}
