import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { totalLine } from '../../../tools/test/report.ts'
import { type Result, runFile, runTogether } from '../../../tools/test/run.ts'
import { hangMs } from '../../support/deadline.ts'
import { tempDirectory } from '../../support/temp.ts'

const runner = suite('tools/test: run')

const folder = tempDirectory()

const header = `import { suite } from ${JSON.stringify(import.meta.resolve('uvu'))}\nconst s = suite('x')\n`

function written(body: string): string {
  const file = join(folder, `${Math.random()}.mjs`)
  writeFileSync(file, header + body)
  return file
}

function run(
  body: string,
  options: { deadlineMs?: number; endingMs?: number; grep?: string } = {},
): Promise<Result> {
  const bounds = { dist: folder, cwd: folder, deadlineMs: hangMs, endingMs: hangMs }
  return runFile({ ...bounds, file: written(body), ...options }, new AbortController().signal)
}

runner('passed and failed tests are counted', async () => {
  const result = await run(`s('a', () => {}); s('b', () => { throw new Error('no') }); s.run()`)
  assert.equal([result.passed, result.failed], [1, 1])
  assert.match(result.output, 'no')
})

runner('a thrown StatusError is reported with its details', async () => {
  const status = new URL('../../../runtime/kernel/errors/status-error.js', import.meta.url).href
  const result = await run(
    `import { StatusError } from ${JSON.stringify(status)}
     s('a', () => { throw new StatusError('Invalid', 'is wrong', { details: { name: 'web' } }) })
     s('b', () => {}); s.run()`,
  )
  assert.equal([result.passed, result.failed], [1, 1])
  assert.match(result.output, /FAIL.*"a"/)
  assert.match(result.output, 'is wrong')
  assert.match(result.output, '"name": "web"')
})

runner('a hook that fails is named as the reason that no test ran', async () => {
  const result = await run(
    `s.before(() => { throw new Error('no') }); s('a', () => {}); s('b', () => {}); s.run()`,
  )
  assert.equal([result.passed, result.failed], [0, 2])
  assert.match(result.problem ?? '', 'a hook failed')
})

runner('tests whose names do not match are left out, and a file may then hold none', async () => {
  const body = `s('wanted', () => {}); s('other', () => { throw new Error('no') }); s.run()`
  const some = await run(body, { grep: '^x want' })
  assert.equal([some.passed, some.failed, some.problem], [1, 0, undefined])
  const none = await run(body, { grep: 'nothing of it' })
  assert.equal([none.passed, none.failed, none.problem], [0, 0, undefined])
})

runner('a suite that is never run fails its file', async () => {
  const result = await run(`s('a', () => {})`)
  assert.equal([result.passed, result.failed], [0, 1])
  assert.match(result.problem ?? '', 'no summary')
})

runner('a file without tests fails', async () => {
  assert.match((await run('s.run()')).problem ?? '', 'holds no test')
})

runner('a file that says why it cannot run is skipped', async () => {
  const result = await run(`console.log('SKIP kubectl: there is none'); s.run()`)
  assert.equal([result.passed, result.failed], [0, 0])
  assert.equal(result.skipped, ['kubectl: there is none'])
})

runner('a muted test fails its file', async () => {
  const result = await run(`s.skip('a', () => {}); s('b', () => {}); s.run()`)
  assert.is(result.failed, 1)
})

runner('a file that crashes after its tests fails', async () => {
  const result = await run(
    `s('a', () => {}); s.run(); process.on('exit', () => { process.exitCode = 3 })`,
  )
  assert.equal([result.passed, result.failed], [1, 1])
  assert.match(result.problem ?? '', 'exit code 3')
})

runner('a file that does not end is killed at the deadline, with what it started', async () => {
  const result = await run(
    `import { spawn } from 'node:child_process'
     spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
     s('a', () => {}); s.run()`,
    { deadlineMs: 1500 },
  )
  assert.is(result.failed, 1)
  assert.match(result.problem ?? '', 'did not end within')
})

runner('a file that goes on after its summary is killed, and says so', async () => {
  const result = await run(`setInterval(() => {}, 1000); s('a', () => {}); s.run()`, {
    endingMs: 1,
  })
  assert.equal([result.passed, result.failed], [1, 1])
  assert.match(result.problem ?? '', 'of its summary')
})

runner('programs that a file leaves running are told to end, and may tidy up', async () => {
  const tidied = join(folder, 'tidied')
  const program = `process.on('SIGTERM', () => { require('fs').writeFileSync('${tidied}', ''); process.exit() }); setInterval(() => {}, 1000); console.log('on')`
  const result = await run(
    `import { spawn } from 'node:child_process'
     const child = spawn(process.execPath, ['-e', ${JSON.stringify(program)}])
     await new Promise((resolve) => child.stdout.once('data', resolve))
     child.unref(); child.stdin.destroy(); child.stdout.destroy(); child.stderr.destroy()
     s('a', () => {}); s.run()`,
  )
  assert.equal([result.passed, result.failed], [1, 0])
  assert.ok(existsSync(tidied))
})

runner('the total names skipped tests only if there are some', () => {
  const result: Result = { name: 'a', passed: 2, failed: 0, skipped: [], output: '', ms: 1 }
  assert.is(totalLine([result, { ...result, failed: 1 }]), '4 passed, 1 failed')
  assert.is(totalLine([{ ...result, skipped: ['x: y'] }]), '2 passed, 0 failed, 1 skipped')
})

/** What came of files that share a process. */
async function together(bodies: readonly string[], endingMs = hangMs): Promise<readonly Result[]> {
  const results: Result[] = []
  const bounds = { dist: folder, cwd: folder, deadlineMs: hangMs, endingMs }
  const files = bodies.map(written)
  await runTogether({ ...bounds, files }, new AbortController().signal, (one) => results.push(one))
  assert.equal(
    results.map(({ name }) => join(folder, name)),
    files,
  )
  return results
}

const figures = (results: readonly Result[]) =>
  results.map(({ passed, failed }) => [passed, failed])

runner('files that share a process have results of their own', async () => {
  const results = await together(
    [
      `s('a', () => { throw new Error('no') }); s.run(); console.log('SKIP x: why')`,
      `s('b', () => {}); s('c', () => {}); s.run()`,
      `throw new Error('cannot be loaded')`,
      `s('d', () => { if (process.pid !== globalThis.shared) throw new Error('another') }); s.run()`,
      `globalThis.shared = process.pid; s('e', () => {}); s.run()`,
    ].reverse(),
  )
  assert.equal(figures(results), [
    [1, 0],
    [1, 0],
    [0, 1],
    [2, 0],
    [0, 1],
  ])
  assert.match(results[2]?.output ?? '', 'cannot be loaded')
  assert.equal(results[4]?.skipped, ['x: why'])
})

runner(
  'a file that ends the process of others fails, and those after it run all the same',
  async () => {
    const good = `s('a', () => {}); s.run()`
    const results = await together([good, `s('b', () => process.exit(3)); s.run()`, good])
    assert.equal(figures(results), [
      [1, 0],
      [0, 1],
      [1, 0],
    ])
    assert.match(results[1]?.problem ?? '', 'exit code 3')
  },
)

runner('files that keep their process from ending fail the last of them', async () => {
  const good = `s('a', () => {}); s.run()`
  const results = await together([`setInterval(() => {}, 1000); ${good}`, good], 10)
  assert.match(results[1]?.problem ?? '', 'did not end')
  assert.equal(figures(results), [
    [1, 0],
    [1, 1],
  ])
})

runner.run()
