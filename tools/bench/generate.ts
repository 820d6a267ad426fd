import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Report } from './report.ts'

/** The package that is measured, copied so that its own files stay as they are. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
/** Runs of each command, the fastest of which counts. */
const repeats = 3

/** What a person waits for: a full run, a run after an edit, a check that finds nothing to do, a type check. */
export async function bench(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  try {
    const copy = copyOf(folder)
    const bare = { name: 'an empty node process', value: fastest(['-e', '']) }
    report('generate, everything', fastest(copy.afresh), 'ms', bare, { atMost: 4000 })
    report('generate, one description changed', fastest(copy.described), 'ms', bare, {
      atMost: 500,
    })
    report('generate, one field added', fastest(copy.extended), 'ms', bare, { atMost: 500 })
    report('generate --check, no change', fastest([...copy.generate, '--check']), 'ms', bare, {
      atMost: 300,
    })
    report('type check of the whole repository', fastest(copy.typeCheck), 'ms', bare, {
      atMost: 15_000,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A copy of this package whose schemas may be edited, and what runs the generator and the type checker in it. */
function copyOf(folder: string) {
  const parts = ['codegen', 'runtime', 'tools', 'schemas', 'package.json', 'tsconfig.json']
  for (const part of [...parts, 'daemons', 'examples', 'test', 'dist', 'generated']) {
    cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const generate = [join(folder, 'dist/tools/orch/main.js'), 'generate']
  const schema = join(folder, 'schemas/api/apps/v1/deployment.yaml')
  let count = 0
  const edited = (edit: (text: string, count: number) => string) => () => {
    writeFileSync(schema, edit(readFileSync(schema, 'utf8'), ++count))
    return generate
  }
  return {
    generate,
    afresh() {
      for (const part of ['generated', '.cache']) {
        rmSync(join(folder, part), { recursive: true, force: true })
      }
      return generate
    },
    described: edited((text, n) => text.replace(/description: .*/, `description: Edit ${n}.`)),
    extended: edited((text, n) => text.replace('    properties:\n', `$&${fieldOf(n)}`)),
    typeCheck: [join(root, 'node_modules/typescript-7/bin/tsc'), '-p', folder, '--noEmit'],
  }
}

/** A field under a name and a number that are new each time. */
function fieldOf(n: number): string {
  const lines = [`extra${n}:`, '  description: One more.', '  type: string']
  return [...lines, `  x-orch-proto: ${100 + n}`].map((line) => `      ${line}\n`).join('')
}

/** The least of a few runs: the others were disturbed. */
function fastest(args: readonly string[] | (() => readonly string[])): number {
  return Math.min(
    ...Array.from({ length: repeats }, () => timed(typeof args === 'function' ? args() : args)),
  )
}

/** Milliseconds of a whole process, from start to exit. Throws with what it printed if it fails. */
function timed(args: readonly string[]): number {
  const began = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stderr}`)
  return performance.now() - began
}
