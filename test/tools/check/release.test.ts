import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../codegen/main.ts'
import { checkRelease } from '../../../tools/check/release.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('tools/check: the last release')

const root = tempDirectory()
const platform = join(packageRoot, 'schemas/platform/orch.yaml')

/** A repository with one commit of one kind; `edit` changes what the schema says. */
function project() {
  const folder = mkdtempSync(join(root, 'project-'))
  const schemas = join(folder, 'schemas')
  cpSync(join(packageRoot, 'test/golden/site'), schemas, { recursive: true })
  const schema = join(schemas, 'sites.example.com/v1/site.yaml')
  git(folder, 'init', '--quiet', '--initial-branch=main')
  commit(folder)
  const edit = (from: string, to: string): void => {
    const text = readFileSync(schema, 'utf8')
    assert.ok(text.includes(from))
    writeFileSync(schema, text.replace(from, to))
  }
  return { folder, schemas, edit, check: () => checkRelease({ schemas, platform }) }
}

function git(folder: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const { status, stderr } = spawnSync('git', [...identity, ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.is(status, 0, stderr)
}

function commit(folder: string): void {
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '--no-gpg-sign', '--allow-empty', '--message=schemas')
}

const none = { problems: [], note: 'there is no release to compare with' }

test('without a release there is nothing to compare with, and that is said', async () => {
  const { folder, edit, check } = project()
  edit('maxLength: 80', 'maxLength: 40')
  assert.equal(await check(), none)
  git(folder, 'tag', 'vendor')
  git(folder, 'tag', 'next')
  assert.equal(await check(), none)
  rmSync(join(folder, '.git'), { recursive: true })
  assert.match((await check()).note ?? '', 'not a git repository')
})

// A9.7
test('what breaks a promise of the release is a problem with both places', async () => {
  const { folder, edit, check } = project()
  git(folder, 'tag', 'v0.1.0')
  edit('maxLength: 80', 'maxLength: 90')
  assert.equal(await check(), { problems: [], note: 'compared with v0.1.0' })
  edit('maxLength: 90', 'maxLength: 40')
  const { problems } = await check()
  assert.is(problems.length, 1)
  assert.match(problems[0] ?? '', /rule-1: .*lower maxLength: 80 before, 40 now/)
  assert.match(problems[0] ?? '', 'refs/tags/v0.1.0:schemas/sites.example.com/v1/site.yaml:25:11')
})

test('the last release is the highest version behind HEAD, which comes after its candidates', async () => {
  const { folder, edit, check } = project()
  for (const tag of ['v0.9.0', 'v0.10.0-rc.1', 'v0.10.0']) {
    commit(folder)
    git(folder, 'tag', '--no-sign', '--annotate', '--message=release', tag)
  }
  git(folder, 'checkout', '--quiet', '-b', 'other')
  edit('maxLength: 80', 'maxLength: 200')
  commit(folder)
  git(folder, 'tag', 'v1.0.0')
  assert.is((await check()).note, 'compared with v1.0.0')
  git(folder, 'checkout', '--quiet', 'main')
  assert.equal(await check(), { problems: [], note: 'compared with v0.10.0' })
})

test('a release that cannot be read is a problem', async () => {
  const { folder, schemas, check } = project()
  const away = join(folder, 'away')
  cpSync(schemas, away, { recursive: true })
  rmSync(schemas, { recursive: true })
  commit(folder)
  git(folder, 'tag', 'v0.1.0')
  cpSync(away, schemas, { recursive: true })
  assert.equal(await check(), { problems: ['refs/tags/v0.1.0:schemas/ holds no schema files'] })
})

test('a history that is cut off before any release is told, with what brings the rest', async () => {
  const { folder, schemas } = project()
  git(folder, 'tag', 'v0.1.0')
  commit(folder)
  const copy = join(folder, 'copy')
  mkdirSync(copy)
  const depth = ['--depth=1', '--no-tags', '--quiet']
  git(folder, 'clone', ...depth, `file://${folder}`, copy)
  assert.equal(await checkRelease({ schemas: schemas.replace(folder, copy), platform }), {
    problems: [],
    note: 'not compared with a release: the history is cut off: git fetch --unshallow --tags brings the rest',
  })
})

test('schemas that do not load are a problem, before and now', async () => {
  const { folder, edit, check } = project()
  edit('maxLength: 80', 'maxLength: [')
  commit(folder)
  git(folder, 'tag', 'v0.1.0')
  edit('maxLength: [', 'maxLength: 80')
  assert.is((await check()).problems.at(-1), 'the schemas of v0.1.0 do not load')
  git(folder, 'tag', '--delete', 'v0.1.0')
  commit(folder)
  git(folder, 'tag', 'v0.1.1')
  edit('maxLength: 80', 'maxLength: [')
  assert.is((await check()).problems.at(-1), 'the schemas do not load')
})

test.run()
