import { spawnSync } from 'node:child_process'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { importGraph } from '../check/cycles.ts'
import { readSources } from '../check/sources.ts'
import { affectedTests } from './affected.ts'

/** An editor writes a file in several steps: changes are taken together that come within this time of each other. */
const settleMs = 150

const folders = ['codegen', 'generated', 'runtime', 'daemons', 'tools', 'examples', 'test']

/** Where to look for changes, and what to do with the tests that they concern. */
export interface Watching {
  readonly root: string
  readonly run: (tests: readonly string[]) => Promise<void>
  readonly print: (text: string) => void
}

/** Builds after every change of a source and runs the tests that it concerns, until the signal. */
export async function watchTests(
  { root, run, print }: Watching,
  signal: AbortSignal,
): Promise<void> {
  for await (const changed of changes(root, signal)) {
    print(`changed: ${changed.join(', ')}`)
    const { status } = spawnSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'inherit' })
    if (status !== 0) continue
    const tests = affectedTests(importGraph(readSources(root)), changed)
    if (tests.length === 0) print('no test imports it')
    else await run(tests)
  }
}

/** Paths of sources that changed, those of one moment together. */
async function* changes(root: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const pending = new Set<string>()
  let wake = (): void => {}
  const follow = async (folder: string): Promise<void> => {
    try {
      for await (const { filename } of watch(join(root, folder), { recursive: true, signal })) {
        if (filename?.endsWith('.ts')) pending.add(join(folder, filename))
        wake()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const following = Promise.all(folders.map(follow))
  const ended = following.then(() => {})
  while (!signal.aborted) {
    if (pending.size === 0) {
      await Promise.race([changed(), ended])
      continue
    }
    await new Promise((resolve) => setTimeout(resolve, settleMs))
    const together = [...pending].sort()
    pending.clear()
    if (!signal.aborted) yield together
  }
  await following
}
