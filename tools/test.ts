/**
 * Runs the built tests: every file in a process of its own, some at a time. Arguments are parts of file names to run;
 * without one, all run. The last line is `N passed, N failed`, with `, N skipped` if a test said why it could not run.
 */
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTests, removeStale } from './test/files.ts'
import { printResult, totalLine } from './test/report.ts'
import { type Result, runFile } from './test/run.ts'

const deadlineMs = 240_000

const dist = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(dist)

const removed = removeStale(dist, root)
if (removed > 0) console.log(`removed ${removed} built files whose source is gone`)

const queue = findTests(join(dist, 'test'), process.argv.slice(2))
const results: Result[] = []
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())

const workers = Math.min(4, Math.max(2, availableParallelism()))
await Promise.all(Array.from({ length: workers }, work))

if (results.length === 0) console.log('no test file matches')
process.exitCode = results.length === 0 || results.some(({ failed }) => failed > 0) ? 1 : 0
console.log(totalLine(results))

async function work(): Promise<void> {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (stop.signal.aborted) return
    const result = await runFile({ dist, cwd: root, file, deadlineMs }, stop.signal)
    results.push(result)
    printResult(result, (text) => console.log(text))
  }
}
