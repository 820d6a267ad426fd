/** `orch validate` as users start it: paths, formats, exit codes, baselines. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runValidate } from '../../../tools/orch/validate.ts'

const test = suite<{ folder: string }>('tools/orch: validate')

const good = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n'
const bad = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndate: {a: b}\n'

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'orch-validate-'))
  await writeFile(join(context.folder, 'a.yaml'), good)
  await mkdir(join(context.folder, 'more'))
  await writeFile(join(context.folder, 'more', 'b.yml'), bad)
  await writeFile(join(context.folder, 'more', 'notes.txt'), 'no document')
})
test.after.each(({ folder }) => rm(folder, { recursive: true }))

async function run(...args: readonly string[]) {
  const [out, errors]: [string[], string[]] = [[], []]
  const terminal = {
    args,
    environment: {},
    width: 100,
    print: (line: string) => void out.push(line),
    printError: (line: string) => void errors.push(line),
  }
  return { code: await runValidate(terminal), text: out.join('\n'), errors: errors.join('\n') }
}

test('a folder is looked through, and each finding has its line with a mark', async ({
  folder,
}) => {
  const { code, text } = await run(folder)
  assert.is(code, 1)
  assert.is(
    text,
    [
      `${folder}/more/b.yml:4:1: error: date: unknown field; did you mean "data"? [field.unknown]`,
      '  4 | date: {a: b}',
      '    | ^~~~',
      '2 objects in 2 files: 1 error',
    ].join('\n'),
  )
})

test('globs and names mean files, and what leads nowhere is told', async ({ folder }) => {
  assert.is((await run(join(folder, '*.yaml'))).code, 0)
  assert.is((await run(join(folder, 'a.yaml'))).code, 0)
  const { code, errors } = await run(join(folder, 'none.yaml'))
  assert.is(code, 2)
  assert.match(errors, 'none.yaml: there is no such file')
})

test('one run writes several formats, each with the same place', async ({ folder }) => {
  const file = (name: string) => join(folder, `out.${name}`)
  const names = ['json', 'ndjson', 'sarif', 'junit', 'tap', 'github', 'gitlab', 'markdown']
  const outputs = names.flatMap((name) => ['-o', `${name}=${file(name)}`])
  const { code, text } = await run(join(folder, 'more'), ...outputs)
  assert.is(code, 1)
  assert.is(text, '')
  const [json, ndjson, sarif, junit, tap, github, gitlab, markdown] = await Promise.all(
    names.map((name) => readFile(file(name), 'utf8')),
  )
  const plain = JSON.parse(json ?? '').findings[0]
  assert.equal([plain.rule, plain.line, plain.column], ['field.unknown', 4, 1])
  assert.equal(JSON.parse(ndjson ?? ''), plain)
  const [result] = JSON.parse(sarif ?? '').runs[0].results
  assert.equal(result.locations[0].physicalLocation.region, { startLine: 4, startColumn: 1 })
  assert.match(junit ?? '', '<failure type="field.unknown"')
  assert.match(junit ?? '', 'line="4"')
  assert.match(tap ?? '', 'not ok 1 - ')
  assert.match(tap ?? '', 'b.yml:4:1: error: date')
  assert.match(
    github ?? '',
    /^::error file=.*b\.yml,line=4,col=1,title=field\.unknown::date: unknown/,
  )
  assert.is(JSON.parse(gitlab ?? '')[0].location.lines.begin, 4)
  assert.match(markdown ?? '', 'b.yml:4:1 | error |')
})

test('what a baseline has does not fail, wherever it stands by now', async ({ folder }) => {
  const baseline = join(folder, 'baseline.json')
  const file = join(folder, 'more/b.yml')
  assert.is((await run(file, '--write-baseline', baseline)).code, 1)
  await writeFile(file, `# a comment\n${bad}`)
  const known = await run(file, '--baseline', baseline)
  assert.is(known.code, 0)
  assert.match(known.text, '0 errors, 1 of the baseline')
  await writeFile(file, `${bad}dato: {}\n`)
  assert.is((await run(file, '--baseline', baseline)).code, 1)
  assert.is((await run(file, '--baseline', join(folder, 'none.json'))).code, 2)
})

test('objects of the public ecosystem are judged by its names', async ({ folder }) => {
  const secret = (type: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ntype: ${type}\ndata: {}\n`
  const file = join(folder, 'a.yaml')
  await writeFile(file, secret('kubernetes.io/tls'))
  assert.match((await run(file)).text, 'data[tls.crt]: Required value')
  await writeFile(file, secret('orch.io/tls'))
  assert.match((await run(file)).text, 'data[tls.crt]: Required value')
})

test('files of other tools in a folder are passed over, unless they are named', async ({
  folder,
}) => {
  await writeFile(join(folder, 'values.yaml'), 'replicas: 2\n')
  await writeFile(join(folder, 'kustomization.yaml'), 'resources: [a.yaml]\n')
  assert.is((await run(folder, '-o', 'ndjson')).text.split('\n').length, 1)
  assert.match(
    (await run(join(folder, 'values.yaml'))).text,
    'values.yaml:1:1: error: apiVersion and kind',
  )
})

test('what is gone is told with the names of the platform that the files speak of', async ({
  folder,
}) => {
  const file = join(folder, 'a.yaml')
  const old = 'apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\n'
  await writeFile(file, old)
  assert.match((await run(file)).text, 'use networking.orch.io/v1 Ingress')
  await writeFile(file, `# of kubernetes.io\n${old}`)
  assert.match((await run(file)).text, 'use networking.k8s.io/v1 Ingress')
})

test('a wrong command line says what is right', async () => {
  assert.is((await run()).code, 2)
  assert.match((await run('.', '-o', 'git')).errors, 'did you mean "github"?')
  assert.match((await run('.', '--release', 'new')).errors, 'write a release such as 1.32')
  assert.match((await run('--help')).text, 'orch validate PATH...')
  assert.match((await run('--rules')).text, 'field.unknown (error)')
})

test.run()
