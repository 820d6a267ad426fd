import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findTests, removeStale } from '../../../tools/test/files.ts'
import { tempDirectory } from '../../support/temp.ts'

const files = suite<{ root: string }>('tools/test: files')

files.before.each((context) => {
  context.root = tempDirectory()
})

function write(root: string, ...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
}

files('tests are found by any part of their path, those that take longest first', ({ root }) => {
  write(root, 'test/a/x.test.js', 'test/e2e/y.test.js', 'test/support/z.js')
  const folder = join(root, 'test')
  const found = (parts: readonly string[]) =>
    findTests(folder, parts).map((file) => file.slice(folder.length + 1))
  assert.equal(found([]), ['e2e/y.test.js', 'a/x.test.js'])
  assert.equal(found(['test/a/x.test.ts']), ['a/x.test.js'])
  assert.equal(found(['nothing']), [])
})

files('built files whose source is gone are removed, others stay', ({ root }) => {
  write(root, 'tsconfig.json', 'a.ts', 'dist/a.js', 'dist/a.d.ts', 'dist/b.js', 'dist/b.js.map')
  write(root, 'dist/.tsbuildinfo', 'dist/packed/chunk.js')
  assert.is(removeStale(join(root, 'dist'), root), 2)
  assert.equal(existsSync(join(root, 'dist/a.js')), true)
  assert.equal(existsSync(join(root, 'dist/.tsbuildinfo')), true)
  assert.equal(existsSync(join(root, 'dist/packed/chunk.js')), true)
})

files('nothing is removed where there is no source tree', ({ root }) => {
  write(root, 'dist/a.js')
  assert.is(removeStale(join(root, 'dist'), root), 0)
})

files.run()
