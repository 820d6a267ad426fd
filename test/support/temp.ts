import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of its own that goes away with the process. */
export function tempDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'orch-test-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}
