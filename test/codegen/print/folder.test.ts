import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { printDiff } from '../../../codegen/print/diff.ts'
import { applyChanges, changesOf, foreignFiles } from '../../../codegen/print/folder.ts'
import { printHeader } from '../../../codegen/print/header.ts'
import {
  digestsOf,
  isCurrent,
  manifestName,
  printManifest,
} from '../../../codegen/print/manifest.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('codegen/print: write')

const inputs = { generator: 'g', inputs: { 'a.yaml': '1' } }

function tree(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const texts = new Map(Object.entries(files).map(([path, text]) => [path, printHeader([]) + text]))
  const manifest = printManifest({ ...inputs, outputs: digestsOf(texts) })
  return new Map([...texts, [manifestName, manifest]])
}

async function write(out: string, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const changes = await changesOf(out, files)
  await applyChanges(out, changes)
  return changes.map(({ path }) => path)
}

test('only differences are written', async () => {
  const out = tempDirectory()
  assert.equal(await write(out, tree({ 'a/b.ts': '1', 'c.ts': '2' })), [
    'a/b.ts',
    'c.ts',
    'manifest.json',
  ])
  assert.equal(await write(out, tree({ 'a/b.ts': '1', 'c.ts': '2' })), [])
  assert.equal(await write(out, tree({ 'a/b.ts': '1', 'c.ts': '3' })), ['c.ts', 'manifest.json'])
})

test('what an earlier run wrote and this one does not goes, with its empty folders', async () => {
  const out = tempDirectory()
  await write(out, tree({ 'a/b/c.ts': '1', 'd.ts': '2' }))
  writeFileSync(join(out, 'mine.ts'), 'mine')
  await write(out, tree({ 'd.ts': '2' }))
  assert.not(existsSync(join(out, 'a')))
  assert.ok(existsSync(join(out, 'd.ts')))
  assert.is(readFileSync(join(out, 'mine.ts'), 'utf8'), 'mine')
})

test('a file that was not generated is named before anything is overwritten', async () => {
  const out = tempDirectory()
  writeFileSync(join(out, 'c.ts'), 'mine')
  const changes = await changesOf(out, tree({ 'c.ts': '1', 'd.ts': '2' }))
  assert.equal(await foreignFiles(out, changes), ['c.ts'])
})

test('an orphan that somebody made their own is named too', async () => {
  const out = tempDirectory()
  await write(out, tree({ 'c.ts': '1', 'd.ts': '2' }))
  writeFileSync(join(out, 'c.ts'), 'mine now')
  const changes = await changesOf(out, tree({ 'd.ts': '2' }))
  assert.equal(await foreignFiles(out, changes), ['c.ts'])
})

test('a manifest that lists paths outside its folder deletes nothing there', async () => {
  const root = tempDirectory()
  const out = join(root, 'out')
  mkdirSync(out)
  writeFileSync(join(root, 'precious.ts'), printHeader([]))
  const outputs = { '../precious.ts': '1', [join(root, 'precious.ts')]: '1' }
  writeFileSync(join(out, manifestName), printManifest({ ...inputs, outputs }))
  await write(out, tree({ 'd.ts': '2' }))
  assert.ok(existsSync(join(root, 'precious.ts')))
})

test('a folder is current if inputs and outputs are what the manifest says', async () => {
  const out = tempDirectory()
  assert.not(await isCurrent(out, inputs))
  await write(out, tree({ 'c.ts': '1' }))
  assert.ok(await isCurrent(out, inputs))
  assert.not(await isCurrent(out, { ...inputs, generator: 'h' }))
  assert.not(await isCurrent(out, { ...inputs, inputs: { 'a.yaml': '2' } }))
  writeFileSync(join(out, 'c.ts'), 'edited')
  assert.not(await isCurrent(out, inputs))
})

for (const text of ['{', 'null', '{"outputs":null}', JSON.stringify({ ...inputs, outputs: 1 })]) {
  test(`a manifest of ${text} is no manifest`, async () => {
    const out = tempDirectory()
    writeFileSync(join(out, manifestName), text)
    assert.not(await isCurrent(out, inputs))
    assert.equal(await changesOf(out, new Map()), [])
  })
}

test('a folder in the place of a file is drift', async () => {
  const out = tempDirectory()
  await write(out, tree({ 'c.ts': '1' }))
  rmSync(join(out, 'c.ts'))
  mkdirSync(join(out, 'c.ts'))
  assert.not(await isCurrent(out, inputs))
})

test('a diff shows lines that change, files that appear and files that go', () => {
  const diff = printDiff('out', [
    { path: 'a.ts', before: 'one\ntwo\n', after: 'one\nthree\n' },
    { path: 'b.ts', after: 'new\n' },
    { path: 'c.ts', before: 'old\n' },
  ])
  assert.is(
    diff,
    `--- out/a.ts
+++ out/a.ts
@@ -1,2 +1,2 @@
 one
-two
+three
--- /dev/null
+++ out/b.ts
@@ -0,0 +1,1 @@
+new
--- out/c.ts
+++ /dev/null
@@ -1,1 +0,0 @@
-old
`,
  )
})

test.run()
