import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Report } from './report.ts'

const command = fileURLToPath(new URL('../orch/main.js', import.meta.url))
const repeats = 3

/** A full run of the generator and a check that finds nothing to do, as a person waits for them. */
export async function bench(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  const out = join(folder, 'out')
  try {
    const bare = { name: 'an empty node process', value: fastest(['-e', '']) }
    report(
      'generate, everything',
      fastest(() => full(out)),
      'ms',
      bare,
    )
    report(
      'generate --check, no change',
      fastest([command, 'generate', '--check', '--out', out]),
      'ms',
      bare,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function full(out: string): readonly string[] {
  rmSync(out, { recursive: true, force: true })
  return [command, 'generate', '--out', out]
}

/** The least of a few runs: the others were disturbed. */
function fastest(args: readonly string[] | (() => readonly string[])): number {
  return Math.min(
    ...Array.from({ length: repeats }, () => timed(typeof args === 'function' ? args() : args)),
  )
}

function timed(args: readonly string[]): number {
  const began = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stderr}`)
  return performance.now() - began
}
