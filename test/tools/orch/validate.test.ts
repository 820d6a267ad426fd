/** `orch validate` as users start it: paths, formats, exit codes, baselines. */
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sortedFindings } from '../../../runtime/validate/validate.ts'
import { runFix } from '../../../tools/orch/fix.ts'
import { runMigrate } from '../../../tools/orch/migrate.ts'
import { packageFolder } from '../../../tools/orch/package-folder.ts'
import { checkFiles } from '../../../tools/orch/validate/check-files.ts'
import { findFiles } from '../../../tools/orch/validate/files.ts'
import { platformsOf } from '../../../tools/orch/validate/platforms.ts'
import { CheckThreads } from '../../../tools/orch/validate/threads.ts'
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

const run = (...args: readonly string[]) => runWith(runValidate, ...args)

async function runWith(command: typeof runValidate, ...args: readonly string[]) {
  const [out, errors]: [string[], string[]] = [[], []]
  const terminal = {
    args,
    environment: {},
    width: 100,
    print: (line: string) => void out.push(line),
    printError: (line: string) => void errors.push(line),
  }
  return { code: await command(terminal), text: out.join('\n'), errors: errors.join('\n') }
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

test('a folder has more than documents: parts of kustomizations, values of charts, files of other tools', async ({
  folder,
}) => {
  const patch = 'apiVersion: v1\nkind: Service\nmetadata: {name: a}\n$patch: delete\n'
  const texts = {
    'overlay/kustomization.yaml':
      'kind: Kustomization\npatches:\n- path: one.yaml\n- {patch: "[]"}\npatchesStrategicMerge: [../two.yaml, "kind: X\\n"]\nreplacements: [{path: three.yaml}]\nconfigMapGenerator: [{name: a, files: [key=four.yaml, 5.yaml]}]\n',
    'overlay/one.yaml': patch,
    'two.yaml': patch,
    'overlay/three.yaml': patch,
    'overlay/four.yaml': patch,
    'overlay/5.yaml': patch,
    'chart/Chart.yaml': 'apiVersion: v2\nname: a\n',
    'chart/values.yaml': 'kind: web\nspec: {}\n',
    'chart/ci/all-values.yaml': 'kind: web\nspec: {}\n',
    'settings.yaml': 'kind: web\n',
    'kind.yaml': 'apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\n',
    'agent.yaml': 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n',
  }
  for (const [name, text] of Object.entries(texts)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const { text, errors } = await run(folder)
  assert.match(text, '2 objects in 5 files: 1 error')
  assert.match(errors, `note: patches and other parts of ${folder}/overlay are no objects`)
  const named = await run(join(folder, 'two.yaml'), join(folder, 'kind.yaml'))
  assert.match(named.text, '[field.unknown]')
  assert.match(named.text, '[kind.unknown]')
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

test('a report that cannot be written is told, and keeps no other from it', async ({ folder }) => {
  const good = join(folder, 'a.yaml')
  const nowhere = join(folder, 'nowhere/a.sarif')
  const { code, text, errors } = await run(good, '-o', `sarif=${nowhere}`, '-o', 'text')
  assert.is(code, 2)
  assert.match(text, '1 object in 1 file: 0 errors')
  assert.match(errors, `--output sarif=${nowhere}: ENOENT`)
  const baseline = await run(good, '--write-baseline', join(folder, 'nowhere/b.json'))
  assert.is(baseline.code, 2)
  assert.match(baseline.errors, '--write-baseline')
  const file = join(folder, 'a.txt')
  const twice = await run(good, '-o', `text=${file}`, '-o', `json=${file}`)
  assert.is(twice.code, 2)
  assert.match(twice.errors, `another format goes to ${file}, too`)
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
  assert.match(
    (await run(file, '--release', '1.20')).text,
    'the fields that it had are not known: extensions/v1beta1 Ingress is gone since 1.22',
  )
  await writeFile(file, `# of kubernetes.io\n${old}`)
  assert.match((await run(file)).text, 'use networking.k8s.io/v1 Ingress')
})

test('several threads find what one finds, in the same order', async ({ folder }) => {
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pipes.example.com}
spec:
  group: example.com
  names: {kind: Pipe, plural: pipes, singular: pipe, listKind: PipeList}
  scope: Namespaced
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}
`
  await write('definition.yaml', definition)
  for (let at = 0; at < 30; at++) {
    const keys = `{level${at}: info}`
    await write(
      `map-${at}.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map-${at}}\ndata: ${keys}\n`,
    )
    await write(
      `pipe-${at}.yaml`,
      `apiVersion: example.com/v1\nkind: Pipe\nmetadata: {name: a}\nspec: {sizes: ${at}}\n`,
    )
    const reference = `configMapKeyRef: {name: map-${at}, key: levels${at}}`
    const comment = at % 3 === 0 ? ' # orch-ignore reference.key: it comes later' : ''
    const pod = `spec: {containers: [{name: a, image: a, env: [{name: A, valueFrom: {${reference}}}]}]}${comment}`
    await write(
      `pod-${at}.yaml`,
      `apiVersion: v1\nkind: Pod\nmetadata: {name: pod-${at}}\n${pod}\n`,
    )
  }
  const { files } = await findFiles([folder])
  const options = { platforms: platformsOf('', [], assert.unreachable), maxFileSize: 1e6 }
  const one = await checkFiles(files, options)
  const started = new CheckThreads(2)
  const three = await checkFiles(files, {
    ...options,
    threads: { platform: '', schemas: [], started },
  })
  await started.close()
  assert.is(one.findings.length, 51)
  assert.is(one.suppressed, 10)
  const shown = ({ findings, line, ...rest }: typeof one) => ({
    ...rest,
    findings: findings.map((each) => ({ ...each, line: line(each.file, each.at?.line ?? 0) })),
    line: undefined,
  })
  assert.equal(shown(three), shown(one))
})

test('a path of a flag that leads nowhere, or to something else, is a wrong command line', async ({
  folder,
}) => {
  const told: Readonly<Record<string, string>> = {
    '--platform': `${folder}/no: there is no such file`,
    '--schemas': `${folder}/a.yaml: it is a file, name a folder`,
    '--policies': `${folder}/no: there is no such file, and no document in it`,
    '--baseline': `${folder}/more: it is a folder`,
  }
  for (const [flag, text] of Object.entries(told)) {
    const value = text.slice(0, text.indexOf(': '))
    const { code, errors, text: out } = await run(folder, flag, value)
    assert.is(code, 2, flag)
    assert.match(errors, text)
    assert.is(out, '')
  }
  for (const one of [runFix, runMigrate]) {
    const missing = await runWith(one, folder, '--schemas', join(folder, 'no'))
    assert.is(missing.code, 2)
    assert.match(missing.errors, 'no: there is no such folder')
    const file = await runWith(one, folder, '--platform', folder)
    assert.match(file.errors, 'it is a folder, name a file')
  }
  const wrong = await run(join(folder, 'a.yaml'), '--schemas', folder)
  assert.is(wrong.code, 2)
  assert.match(wrong.errors, 'a.yaml:1:1: missing-keyword')
})

test('a file that cannot be read is told, and the others are checked', async ({ folder }) => {
  await symlink('nowhere', join(folder, 'link.yaml'))
  await symlink('circle.yaml', join(folder, 'circle.yaml'))
  spawnSync('mkfifo', [join(folder, 'pipe.yaml')])
  const { code, text } = await run(folder, '-o', 'ndjson')
  assert.is(code, 1)
  const found = text.split('\n').map((line) => JSON.parse(line))
  assert.equal(
    found.map(({ file, rule, message }) => [file, rule, message]),
    [
      ['circle.yaml', 'text.unreadable', 'its links lead in a circle'],
      ['link.yaml', 'text.unreadable', 'there is no such file'],
      ['more/b.yml', 'field.unknown', 'date: unknown field; did you mean "data"?'],
      ['pipe.yaml', 'text.unreadable', 'it is no regular file'],
    ].map(([file, rule, why]) => {
      const message = rule === 'text.unreadable' ? `nothing in it was checked: ${why}` : why
      return [join(folder, file as string), rule, message]
    }),
  )
})

test('a pipe that is named is read, once', async ({ folder }) => {
  const pipe = join(folder, 'pipe')
  spawnSync('mkfifo', [pipe])
  const checked = run(pipe)
  await writeFile(pipe, bad)
  const { code, text } = await checked
  assert.is(code, 1)
  assert.match(text, 'pipe:4:1: error: date: unknown field')
  assert.match(text, '4 | date: {a: b}')
})

test('what only kubectl does not read is a warning', async ({ folder }) => {
  const directive = '%YAML 1.2\n---\n'
  const told = async (text: string) => {
    await writeFile(join(folder, 'a.yaml'), text)
    const { text: out } = await run(join(folder, 'a.yaml'), '-o', 'ndjson')
    const found = out === '' ? [] : out.split('\n').map((line) => JSON.parse(line))
    return found.map(({ line, column, rule, severity }) => `${line}:${column} ${severity} ${rule}`)
  }
  const warned = (at: string) => `${at} warning text.portable`
  assert.equal(await told(good.replace('{a: b}', '{a: b?c}')), [warned('4:11')])
  assert.equal(await told(good.replace('{a: b}', '{a: ?c}')), [warned('4:11')])
  assert.equal(await told(good.replace('{a: b}', '{a: "b?"}')), [])
  assert.equal(await told(good.replace('{a: b}', '\n  a: b?c')), [])
  assert.equal(await told(directive + good), [warned('1:1')])
  const second = good.replace('name: a', 'name: b')
  assert.equal(await told(`${good}...\n# more\n${directive}${second}`), [warned('7:1')])
  assert.equal(await told(`${good}...\n${directive}`), [warned('6:1')])
  // What stands behind `...` is another document, which kubectl takes for no part of any.
  assert.equal(await told(`${good}...\n${second}`), [warned('5:1')])
  assert.equal(await told(`${good}...\n---\n${second}...\n# nothing\n`), [])
})

const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
const row = (name: string, text: string) => `\n  ${name}: &${name} [${text}]`
const nine = (name: string) => Array.from({ length: 9 }, () => `*${name}`).join()
/** Each row stands for nine times what the one before it does. */
const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at, all) =>
  row(all[at + 1] ?? 'g', nine(name)),
)
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pipes.example.com}
spec:
  group: example.com
  names: {kind: Pipe, plural: pipes}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: objekt}}}]
`

/** Files that are broken, each with the place and the reason; what may be done about it stands in the reason or with the rule. */
const broken: Readonly<Record<string, readonly [text: string | Buffer, told: string]>> = {
  'a bomb of anchors': [
    `${map}data:${row('a', 'x,x')}${rows.join('')}\n`,
    '5:12 text.syntax aliases stand',
  ],
  'a circle of anchors': [
    `${map}data: &d {self: *d}\n`,
    '4:17 text.syntax anchor d contains itself',
  ],
  'a tab that indents': [`${map}data:\n\tlevel: info\n`, '5:1 text.syntax Tabs are not allowed'],
  'a bad indent': [`${map}data:\n    a: b\n  c: d\n`, '6:1 text.syntax All mapping items'],
  'a merge of a text': [`${map}data: {<<: text}\n`, '4:12 text.syntax a merge key needs a map'],
  'a boolean of YAML 1.1': [`${map}data: {a: on}\n`, '4:11 field.type data[a]: must be a string'],
  'a number in place of a version': [`${map}data: {a: 1.10}\n`, '4:11 field.type data[a]: must be'],
  'bytes of Latin-1': [
    Buffer.from(`${map}data: {a: "é"}\n`, 'latin1'),
    '4:12 text.encoding the text is',
  ],
  'UTF-16': [Buffer.from(`\ufeff${map}`, 'utf16le'), '1:1 text.encoding the text is not valid'],
  'a byte-order mark and lines of Windows': [
    `\ufeff${map}date: {}\n`.replaceAll('\n', '\r\n'),
    '4:1 field.unknown date: unknown field; did you mean "data"?',
  ],
  'nesting without end': [`a: ${'['.repeat(500)}\n`, '1:303 text.syntax nested too deeply'],
  'a kind that nobody knows': [
    'apiVersion: apps/v1\nkind: Deploymant\nmetadata: {name: a}\n',
    '2:7 kind.unknown no kind Deploymant is known in apps/v1; did you mean apps/v1 Deployment?',
  ],
  'a definition that is wrong': [definition, '8:87 field.not-supported spec.validation'],
  'an object of that definition': [
    'apiVersion: example.com/v1\nkind: Pipe\nmetadata: {name: a}\n',
    '2:7 kind.unknown no kind Pipe is known in example.com/v1: its definition is wrong',
  ],
  'a reference out of the files': [
    'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a, envFrom: [{configMapRef: {name: setting}}]}]}\n',
    '4:73 reference.missing spec.containers[0].envFrom[0].configMapRef.name: no file has ConfigMap setting in namespace default; did you mean "settings"?',
  ],
}

test('every broken file is told with its place and its reason, and the others are checked', async ({
  folder,
}) => {
  const names = Object.keys(broken)
  await rm(join(folder, 'more'), { recursive: true })
  for (const [at, [text]] of Object.values(broken).entries()) {
    await writeFile(join(folder, `${at}.yaml`), text)
  }
  await writeFile(join(folder, 'settings.yaml'), good.replace('name: a', 'name: settings'))
  await symlink('..', join(folder, 'back'))
  const { text } = await run(folder, '-o', 'ndjson')
  const found = new Map(
    text.split('\n').map((line) => {
      const { file, line: at, column, rule, message } = JSON.parse(line)
      const name = names[Number(/(\d+)\.yaml$/.exec(file)?.[1])]
      return [name, `${at}:${column} ${rule} ${message}`]
    }),
  )
  for (const [name, [, told]] of Object.entries(broken)) {
    assert.is(found.get(name)?.slice(0, told.length), told, name)
  }
  assert.is(found.size, names.length)
})

test('threads know the kinds of schema files, of another platform, and a release', async ({
  folder,
}) => {
  const website = (spec: string) =>
    `apiVersion: web.example.com/v1\nkind: Website\nmetadata: {name: a}\nspec: ${spec}\n`
  await writeFile(join(folder, 'a.yaml'), website('{title: A, pagez: {}}'))
  await writeFile(join(folder, 'more', 'b.yml'), 'apiVersion: apps.orch.io/v1\nkind: A\n')
  const { files } = await findFiles([folder])
  const found = async (platform: string, schemas: readonly string[], release = '1.29') => {
    const platforms = platformsOf(platform, schemas, assert.unreachable)
    // What is made of schema files is on disk once it was loaded.
    await platforms[0]?.load()
    const settings = { platform, schemas, release, maxFileSize: 1e6, today: '2026-11-23' }
    const threads = new CheckThreads(2)
    const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    threads.begin({ ...settings, first: -1, learned: [], files, taken })
    const results = await threads.results()
    await threads.close()
    const all = results.flatMap(({ findings }) => findings)
    const { findings } = await checkFiles(files, { platforms, release, maxFileSize: 1e6 })
    assert.equal(sortedFindings(all), findings)
    return findings.map(({ at, rule, message }) => `${at?.line} ${rule} ${message}`)
  }
  const schemas = join(packageFolder, 'examples/operator/schemas')
  const own = await found('', [schemas])
  assert.match(own[0] ?? '', '4 field.unknown spec.pagez')
  const names = join(packageFolder, 'schemas/platform/kubernetes.yaml')
  const [website1] = await found(names, [])
  assert.match(website1 ?? '', '2 kind.unknown no kind Website is known')
  await writeFile(
    join(folder, 'a.yaml'),
    'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nimmutable: true\n',
  )
  const [immutable, ...others] = await found('', [], '1.17')
  assert.is(immutable, '4 field.newer immutable is there since 1.18, not in 1.17')
  assert.is(others.length, 1)
})

test('a wrong command line says what is right', async () => {
  assert.is((await run()).code, 2)
  assert.match((await run('.', '-o', 'git')).errors, 'did you mean "github"?')
  assert.match((await run('.', '--release', 'new')).errors, 'write a release such as 1.32')
  assert.match((await run('--help')).text, 'orch validate PATH...')
  assert.match((await run('--rules')).text, 'field.unknown (error)')
})

test.run()
