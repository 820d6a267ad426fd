/**
 * Runs test files in this process, one after another. Arguments: what ends a file's output on a line of its own, then the files.
 * What came of a file stands in its output; the exit code says only whether all were run.
 */
import { pathToFileURL } from 'node:url'

/** What tells the test runner that it is told when to begin, and where it keeps what is to run. */
const shared = globalThis as { UVU_DEFER?: number; UVU_QUEUE?: unknown[] }
shared.UVU_DEFER = 1
shared.UVU_QUEUE = []
const { exec } = await import('uvu')

const [end = '', ...files] = process.argv.slice(2)
for (const file of files) {
  shared.UVU_QUEUE.splice(0, Infinity, [null])
  try {
    await import(pathToFileURL(file).href)
    await exec()
  } catch (error) {
    console.error(error)
  }
  process.stdout.write(`\n${end}\n`)
}
process.exitCode = 0
