import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findTests, removeStale } from '../../../tools/test/files.ts'
import { groupsOf } from '../../../tools/test/groups.ts'
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

files('files of one folder share a process, unless they have to do with it', () => {
  const texts: Readonly<Record<string, string>> = {
    'runtime/store/a.test.js': '',
    'runtime/store/b.test.js': "import { fork } from 'node:child_process'",
    'runtime/store/sqlite/c.test.js': '',
    'runtime/watch/d.test.js': '',
    'runtime/watch/e.test.js': 'process.memoryUsage()',
    'e2e/f.test.js': '',
    'e2e/g.test.js': '',
    'daemons/h.test.js': 'spawn(process.execPath, { env: process.env })',
    'daemons/i.test.js': "program.process.kill('SIGTERM')",
    'daemons/j.test.js': "process.env.HOME = '/'",
    'daemons/k.test.js': "Object.assign(process.env, { HOME: '/' })",
    'daemons/l.test.js': "process.chdir('/')",
  }
  const all = groupsOf(
    '/',
    Object.keys(texts).map((path) => `/${path}`),
    (file) => texts[file.slice(1)] ?? '',
  )
  assert.equal(
    all.map((group) => group.map((file) => file.replace(/.*\/(\w)\.test\.js/, '$1')).join('')),
    ['abc', 'd', 'e', 'f', 'g', 'hi', 'j', 'k', 'l'],
  )
  const many = Array.from({ length: 20 }, (_, index) => `/runtime/store/${index}.test.js`)
  assert.equal(
    groupsOf('/', many, () => '').map(({ length }) => length),
    [8, 8, 4],
  )
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
