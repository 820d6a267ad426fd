import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directories: string[] = []

process.on('exit', () => {
  for (const each of directories) rmSync(each, { recursive: true, force: true })
})

/** A directory of its own that goes away with the process. */
export function tempDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'orch-test-'))
  directories.push(directory)
  return directory
}
