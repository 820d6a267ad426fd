import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generateAgainst, packageRoot } from '../../../codegen/main.ts'
import { readBase } from '../../../tools/orch/base.ts'
import { runGenerate } from '../../../tools/orch/generate.ts'
import { orchCommand } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('tools: orch generate --against')

const root = tempDirectory()
const golden = join(packageRoot, 'test/golden/site')

/** A user's repository with a commit of one kind, and the file that describes it. */
function project() {
  const folder = mkdtempSync(join(root, 'project-'))
  cpSync(golden, join(folder, 'schemas'), { recursive: true })
  git(folder, 'init', '--quiet', '--initial-branch=main')
  commit(folder)
  return { folder, schema: join(folder, 'schemas/sites.example.com/v1/site.yaml') }
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
  git(folder, 'commit', '--quiet', '--no-gpg-sign', '--message=schemas')
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  assert.ok(text.includes(from))
  writeFileSync(file, text.replace(from, to))
}

/** Runs the command as a program in a folder. */
function runProgram(folder: string, args: readonly string[], env = process.env) {
  const argv = [orchCommand, 'generate', '--schemas', 'schemas', ...args]
  return spawnSync(process.execPath, argv, { cwd: folder, env, encoding: 'utf8' })
}

/** Runs the command in this process, which has loaded the generator already. */
async function run(folder: string, args: readonly string[]) {
  const printed = { stdout: '', stderr: '' }
  const [here, real] = [
    process.cwd(),
    { stdout: process.stdout.write, stderr: process.stderr.write },
  ]
  process.chdir(folder)
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += String(text)
      return true
    }
  }
  try {
    return { status: await runGenerate(['--schemas', 'schemas', ...args]), ...printed }
  } finally {
    for (const name of ['stdout', 'stderr'] as const) process[name].write = real[name]
    process.chdir(here)
  }
}

test('a broken rule is shown with both places, and nothing is written', () => {
  const { folder, schema } = project()
  edit(schema, 'maxLength: 80', 'maxLength: 40')
  const { status, stderr } = runProgram(folder, ['--against', 'main', '--out', 'generated'])
  assert.is(status, 1)
  assert.is(
    stderr,
    `schemas/sites.example.com/v1/site.yaml:25:11: rule-1: sites.example.com/v1 Site spec.title has a lower maxLength: 80 before, 40 now
  25 |           title:
     |           ^
main:schemas/sites.example.com/v1/site.yaml:25:11: before: what it is compared with
  25 |           title:
     |           ^
1 broken rule; nothing written
`,
  )
  assert.not(existsSync(join(folder, 'generated')))
})

test('where no rule is broken the run goes on; without a place to write it only compares', async () => {
  const { folder, schema } = project()
  edit(schema, 'maxLength: 80', 'maxLength: 90')
  const { status, stdout, stderr } = await run(folder, ['--against', 'HEAD'])
  assert.equal([status, stdout, stderr], [0, '', ''])
  assert.is((await run(folder, ['--against', 'HEAD', '--out', 'generated'])).status, 0)
  assert.ok(existsSync(join(folder, 'generated/routes.ts')))
})

test('the base may be a folder', async () => {
  const { folder, schema } = project()
  cpSync(join(folder, 'schemas'), join(folder, 'released'), { recursive: true })
  assert.is((await run(folder, ['--against', './released'])).status, 0)
  edit(schema, 'plural: sites', 'plural: pages')
  const { status, stderr } = await run(folder, ['--against', 'released'])
  assert.is(status, 1)
  assert.match(stderr, 'rule-4a: sites.example.com/v1 Site is stable')
  assert.match(stderr, '\nreleased/sites.example.com/v1/site.yaml:5:3: before: ')
})

test('the release of the base is that of its platform file', async () => {
  const { folder } = project()
  const names = join(folder, 'schemas/platform/names.yaml')
  mkdirSync(join(folder, 'schemas/platform'))
  cpSync(join(packageRoot, 'schemas/platform/orch.yaml'), names)
  const metrics = join(folder, 'schemas/metrics.yaml')
  const row =
    '{ name: asked_total, type: counter, stability: BETA, labels: [], since: "1.20", help: Asked. }'
  writeFileSync(metrics, `metrics:\n  - ${row}\n`)
  commit(folder)
  edit(metrics, 'since: "1.20"', 'since: "1.20", deprecated: "1.29"')
  commit(folder)
  edit(metrics, 'asked_total', 'other_total')
  const args = ['--against', 'HEAD', '--platform', 'schemas/platform/names.yaml']
  const early = await run(folder, args)
  assert.is(early.status, 1)
  assert.match(early.stderr, 'rule-11b: the metric asked_total is gone')
  edit(names, 'release: 1.29.0', 'release: 1.30.0')
  assert.is((await run(folder, args)).stderr, '')
})

test('a base of a later release is none', async () => {
  const { folder } = project()
  const names = join(folder, 'schemas/platform/names.yaml')
  mkdirSync(join(folder, 'schemas/platform'))
  cpSync(join(packageRoot, 'schemas/platform/orch.yaml'), names)
  edit(names, 'release: 1.29.0', 'release: 1.30.0')
  commit(folder)
  edit(names, 'release: 1.30.0', 'release: 1.29.0')
  const args = ['--against', 'HEAD', '--platform', 'schemas/platform/names.yaml']
  const { status, stderr } = await run(folder, args)
  assert.is(status, 2)
  assert.match(stderr, 'the base is of release 1.30.0, which comes after 1.29.0\n')
  edit(names, 'release: 1.29.0', 'release: next')
  assert.match((await run(folder, args)).stderr, '"release" must be MAJOR.MINOR.PATCH')
})

const unresolved: readonly (readonly [fact: string, base: string, want: RegExp])[] = [
  ['an unknown ref', 'v9.9', /v9\.9 is neither a folder nor a commit that git knows\n$/],
  ['an option of git', '--output=/tmp/x', /is neither a folder nor a commit that git knows\n$/],
  ['a file of a commit', 'HEAD:schemas', /is neither a folder nor a commit that git knows\n$/],
  ['a command of a shell', '$(touch broken)', /is neither a folder nor a commit/],
  ['a name with a line break', 'HEAD\nHEAD', /is neither a folder nor a commit/],
  ['nothing', '', /is neither a folder nor a commit/],
  ['a folder that is not there', './nothing', /there is no folder \.\/nothing\n$/],
  ['a folder without schemas', './empty', /\.\/empty holds no schema files\n$/],
  ['a commit without the folder', 'before', /before:schemas\/ holds no schema files\n$/],
  [
    'a name of both sorts',
    'main',
    /main is a folder and a git ref: write \.\/main or refs\/heads\/main\n$/,
  ],
]

for (const [fact, base, want] of unresolved) {
  test(`${fact} is no base, and that is a failure`, async () => {
    const { folder, schema } = project()
    git(folder, 'checkout', '--quiet', '--orphan', 'before')
    git(folder, 'rm', '-r', '--quiet', '--cached', '.')
    git(folder, 'commit', '--quiet', '--no-gpg-sign', '--allow-empty', '--message=nothing')
    for (const name of ['empty', 'main']) mkdirSync(join(folder, name))
    edit(schema, 'maxLength: 80', 'maxLength: 90')
    const { status, stdout, stderr } = await run(folder, [
      `--against=${base}`,
      '--out',
      'generated',
    ])
    assert.match(stderr, want)
    assert.equal([status, stdout], [2, ''])
    assert.not(existsSync(join(folder, 'generated')))
    assert.not(existsSync(join(folder, 'broken')))
  })
}

test('a base that lacks a file is none', async () => {
  const { folder, schema } = project()
  const link = join(folder, 'schemas/linked.yaml')
  symlinkSync(schema, link)
  commit(folder)
  const linked = await run(folder, ['--against', 'HEAD'])
  assert.is(linked.status, 2)
  assert.match(linked.stderr, 'HEAD cannot be read: schemas/linked.yaml is no plain file there\n')
  rmSync(link)
  commit(folder)
  const { stdout } = spawnSync('git', ['rev-parse', `HEAD:${relative(folder, schema)}`], {
    cwd: folder,
    encoding: 'utf8',
  })
  rmSync(join(folder, '.git/objects', stdout.slice(0, 2), stdout.slice(2).trim()))
  const lost = await run(folder, ['--against', 'HEAD'])
  assert.is(lost.status, 2)
  assert.match(lost.stderr, 'git has not all files of schemas/ there; fetch them first\n')
})

test('outside a repository there are only folders', async () => {
  const folder = mkdtempSync(join(root, 'bare-'))
  cpSync(golden, join(folder, 'schemas'), { recursive: true })
  const { status, stderr } = await run(folder, ['--against', 'main'])
  assert.is(status, 2)
  assert.match(stderr, /main is no folder, and git says: fatal: not a git repository/)
})

test('a base that does not load is a failure that shows why', async () => {
  const { folder, schema } = project()
  edit(schema, 'maxLength: 80', 'maxlength: 80')
  commit(folder)
  edit(schema, 'maxlength: 80', 'maxLength: 80')
  const { status, stderr } = await run(folder, ['--against', 'HEAD'])
  assert.is(status, 2)
  assert.match(
    stderr,
    'HEAD:schemas/sites.example.com/v1/site.yaml:28:13: unknown-keyword: "maxlength"',
  )
  assert.match(stderr, '--against HEAD: the base cannot be used\n')
})

test('schemas that do not load are not compared', async () => {
  const { folder, schema } = project()
  edit(schema, 'maxLength: 80', 'maxlength: 80')
  const { status, stderr } = await run(folder, ['--against', 'HEAD'])
  assert.is(status, 1)
  assert.match(stderr, 'schemas/sites.example.com/v1/site.yaml:28:13: unknown-keyword')
})

test('a hook of git may run it', () => {
  const { folder } = project()
  const env = { ...process.env, GIT_DIR: '.git', GIT_INDEX_FILE: '.git/index' }
  assert.is(runProgram(folder, ['--against', 'HEAD'], env).stderr, '')
})

test("orch's own schemas break nothing against themselves, under both platforms' names", async () => {
  const schemas = join(packageRoot, 'schemas')
  for (const name of ['orch', 'kubernetes']) {
    const platform = join(schemas, `platform/${name}.yaml`)
    const base = await readBase(schemas, { schemas, platform })
    const { report, unreadable: broken } = await generateAgainst({ platform }, base)
    assert.equal([report, broken], ['', undefined])
  }
})

test.run()
