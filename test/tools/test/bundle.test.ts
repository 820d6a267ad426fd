import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bundleTests } from '../../../tools/test/bundle.ts'
import { runFile } from '../../../tools/test/run.ts'
import { hangMs } from '../../support/deadline.ts'
import { tempDirectory } from '../../support/temp.ts'

const bundle = suite('tools/test: bundle')

bundle(
  'joined tests have one instance of each module with what is loaded before them, and know where they were',
  async () => {
    const dist = tempDirectory()
    for (const folder of ['test', 'tools/test']) mkdirSync(join(dist, folder), { recursive: true })
    const write = (path: string, text: string): string => {
      writeFileSync(join(dist, path), text)
      return join(dist, path)
    }
    write('shared.js', 'export class Shared {}')
    write(
      'tools/test/guard.js',
      "import { Shared } from '../../shared.js'\nShared.marked = 'by the guard'",
    )
    const test = write(
      'test/one.test.js',
      `import { suite } from 'uvu'
       import { Shared } from '../shared.js'
       const one = suite('one')
       one('a', () => { if (Shared.marked !== 'by the guard') throw new Error('another module') })
       one('b', () => { console.log(new URL('beside', META.url).href) })
       one.run()`
        .replace("'uvu'", JSON.stringify(import.meta.resolve('uvu')))
        // This test is joined itself, and its own place would be put here.
        .replace('META', 'import.meta'),
    )
    const { files, ...joined } = await bundleTests(dist, [test])
    const limits = { deadlineMs: hangMs, endingMs: hangMs }
    const [file = ''] = files
    const result = await runFile(
      { ...joined, ...limits, cwd: dist, file },
      new AbortController().signal,
    )
    assert.equal([result.name, result.passed, result.failed], ['test/one.test.ts', 2, 0])
    assert.match(result.output, `file://${dist}/test/beside`)
  },
)

bundle.run()
