import {
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../codegen/main.ts'
import { compiledScheme } from '../../../tools/orch/compiled-scheme.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('tools/orch: compiled tree')

const root = tempDirectory()
const schemas = join(packageRoot, 'test/golden/site')
const cache = join(root, 'cache')
const quiet = (line: string) => assert.unreachable(line)

async function groupsIn(folder: string): Promise<readonly string[] | undefined> {
  const scheme = await compiledScheme({ schemas }, quiet, folder)
  return scheme?.groups.map(({ group }) => group)
}

test.before(async () => {
  process.env.TMPDIR = root
  assert.equal(await groupsIn(cache), ['sites.example.com'])
})

test('a tree is kept by what it is made of, and not made again', async () => {
  const [name = '', ...others] = readdirSync(cache)
  assert.equal(others, [])
  const copy = join(root, 'copy')
  cpSync(cache, copy, { recursive: true, preserveTimestamps: true })
  const before = statSync(join(copy, name, 'scheme.js')).mtimeMs
  assert.equal(await groupsIn(copy), ['sites.example.com'])
  assert.is(statSync(join(copy, name, 'scheme.js')).mtimeMs, before)
})

test('a kept tree that does not load is done without, and made anew by the next start', async () => {
  const damaged = join(root, 'damaged')
  cpSync(cache, damaged, { recursive: true })
  const [name = ''] = readdirSync(damaged)
  writeFileSync(join(damaged, name, 'scheme.js'), 'import {')
  assert.equal(await groupsIn(damaged), ['sites.example.com'])
  assert.equal(readdirSync(damaged), [])
})

test('two starts at once leave one whole tree', async () => {
  const folder = join(root, 'two')
  const both = await Promise.all([groupsIn(folder), groupsIn(folder)])
  assert.equal(both, [['sites.example.com'], ['sites.example.com']])
  assert.equal(readdirSync(folder), readdirSync(cache))
})

test('of many trees only the youngest stay', async () => {
  const many = join(root, 'many')
  for (let day = 1; day <= 40; day++) {
    const folder = join(many, `tree-${day}`)
    mkdirSync(folder, { recursive: true })
    utimesSync(folder, day, day)
  }
  assert.equal(await groupsIn(many), ['sites.example.com'])
  const left = readdirSync(many)
  assert.is(left.length, 32)
  assert.equal([left.includes('tree-40'), left.includes('tree-9')], [true, false])
})

test('where nothing can be kept, a tree is made all the same', async () => {
  const taken = join(root, 'taken')
  writeFileSync(taken, 'a file where the folder should be')
  assert.equal(await groupsIn(taken), ['sites.example.com'])
})

test('schema files that are wrong are shown, and no tree is made', async () => {
  const wrong = join(root, 'wrong')
  cpSync(schemas, wrong, { recursive: true })
  const schema = join(wrong, 'sites.example.com/v1/site.yaml')
  writeFileSync(schema, 'group: sites.example.com\n')
  const lines: string[] = []
  const scheme = await compiledScheme({ schemas: wrong }, (line) => void lines.push(line), cache)
  assert.is(scheme, undefined)
  assert.match(lines.join('\n'), /site\.yaml:1:1: missing-keyword/)
})

test.after(() => rmSync(root, { recursive: true }))

test.run()
