/** `orch build`: modules are evaluated without the world, and what is wrong is told at their lines. */
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runBuild } from '../../../tools/orch/build.ts'

const test = suite<{ folder: string }>('tools/orch: build')

test.before.each(async (context) => {
  context.folder = await realpath(await mkdtemp(join(tmpdir(), 'orch-build-')))
})
test.after.each(({ folder }) => rm(folder, { recursive: true }))

async function run(folder: string, ...args: readonly string[]) {
  const [out, errors]: [string[], string[]] = [[], []]
  const terminal = {
    args: [...args, '--root', folder],
    environment: {},
    width: 100,
    print: (line: string) => void out.push(line),
    printError: (line: string) => void errors.push(line),
  }
  const code = await runBuild(terminal)
  const errorText = errors.join('\n').replaceAll(`${relative('', folder)}/`, '')
  return { code, text: out.join('\n'), errors: errorText }
}

async function build(folder: string, files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return run(folder, join(folder, Object.keys(files)[0] ?? ''))
}

const map = (more: string) =>
  `{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ${more} }`

/** Modules that are refused: their text, the place that is told, and a part of the reason. */
const refused: readonly (readonly [what: string, text: string, at: string, why: string])[] = [
  [
    'reads the clock',
    `const at = 1\nexport default [at, new Date()]`,
    '2:21',
    'state the time as a text',
  ],
  [
    'reads the clock by its constructor',
    `export default new (new Date(0).constructor as DateConstructor)()`,
    '1:16',
    'state the time',
  ],
  ['asks for the time', `export default\n  Date.now()`, '2:8', 'state the time'],
  ['waits for the network', `export default await fetch('http://a')`, '1:16', 'awaits nothing'],
  ['asks for chance', `export default Math.random()`, '1:21', 'derive what has to differ'],
  ['reads the environment', `export default process.env.HOME`, '1:16', 'no environment'],
  ['asks the network', `export default fetch('http://a')`, '1:16', 'there is no network'],
  ['waits', `setTimeout(() => {}, 1)\nexport default 1`, '1:1', 'there is no time to wait in'],
  [
    'makes code of a text',
    `export default (() => {}).constructor('return process')()`,
    '1:27',
    'Code generation from strings',
  ],
  [
    'reads files',
    `import { readFileSync } from 'node:fs'\nexport default readFileSync('a')`,
    '1:30',
    'sees no files',
  ],
  ['loops for ever', `let a = 0\nfor (;;) a++\nexport default a`, '2:1', 'a loop does not end'],
  [
    'loops for ever and catches what ends it',
    `let a = 0\nwhile (true) { try { a++ } catch {} }\nexport default a`,
    '2:1',
    'a loop',
  ],
  ['recurses for ever', `const f = (): unknown => [f()]\nexport default f()`, '1:26', 'call stack'],
  [
    'throws',
    `function f() {\n  throw new Error('no zone')\n}\nexport default f()`,
    '2:9',
    'no zone',
  ],
  ['is no TypeScript', `export default {\n  a: 1,,\n}`, '2:8', 'Expected'],
  ['imports what is not there', `import a from './b.ts'\nexport default a`, '1:15', './b.ts'],
  ['imports itself', `import a from './a.config.ts'\nexport default a`, '1:15', 'each other'],
  [
    'imports a file outside of the tree',
    `import a from '../../etc/passwd'\nexport default a`,
    '1:15',
    '',
  ],
  ['exports a number', `export default [\n  7,\n]`, '2:3', '7 stands where an object'],
  ['exports an object without a kind', `export default [\n  { a: 1 }]`, '2:3', 'apiVersion'],
  [
    'states an object twice',
    `export default [\n  ${map('')},\n  ${map('')}]`,
    '3:3',
    'stated twice',
  ],
  ['states an unknown field', `export default ${map('\n  date: {}')}`, '2:3', 'mean "data"'],
  [
    'states a wrong type in what is spread',
    `const data = {\n  a: 7 }\nexport default ${map('data: { ...data }')}`,
    '2:3',
    'must be a string',
  ],
]

for (const [what, text, at, why] of refused) {
  test(`a module that ${what} is told at its line`, async ({ folder }) => {
    const { code, errors } = await build(folder, { 'a.config.ts': text })
    assert.is(code, 1, errors)
    assert.is(errors.split(' ')[0], `a.config.ts:${at}:`, errors)
    assert.match(errors, why)
  })
}

test('a pattern that matches for ever is ended after --timeout', async ({ folder }) => {
  const file = join(folder, 'a.config.ts')
  await writeFile(file, `export default /^(a+)+$/.test('a'.repeat(40) + '!')`)
  const { code, errors } = await run(folder, file, '--timeout', '0.2')
  assert.is(code, 1)
  assert.match(errors, 'it ran longer than 0.2 s: a pattern or a function does not end')
})

test('a promise, a function, a circle and a number without a form are no data', async ({
  folder,
}) => {
  const cases = [
    ['Promise.resolve(1)', 'is a promise'],
    ['{ a: () => 1 }', 'a is a function'],
    ['(() => { const a: { b?: object } = {}; a.b = a; return a })()', 'a circle'],
    ['[0 / 0]', 'is NaN'],
  ] as const
  for (const [value, why] of cases) {
    const { code, errors } = await build(folder, { 'a.config.ts': `export default ${value}` })
    assert.is(code, 1)
    assert.match(errors, why)
  }
})

test('zone, words and environment of the machine change nothing', async ({ folder }) => {
  const value = `String(new Date('2027-01-31T00:00:00Z').getHours()) + (1.5).toLocaleString()`
  const { text, errors } = await build(folder, {
    'a.config.ts': `export default ${map(`data: { a: ${value} }`)}`,
  })
  assert.match(text, 'a: "01.5"', errors)
})

const web = (spec: string) =>
  `{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: ${spec} }`
const base = web(
  `{ replicas: 1, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image: 'i' }] } } }`,
)

test('layers replace what the base states, and lists merge by their keys', async ({ folder }) => {
  const layers = `{ one: ${web('{ replicas: 3 }')}, two: ${web(`{ template: { spec: { containers: [{ name: 'b', image: 'j' }] } } }`)} }`
  const { code, text, errors } = await build(folder, {
    'a.config.ts': `import { overlay } from 'orch/build'\nexport default overlay(${base}, ${layers})`,
  })
  assert.is(code, 0, errors)
  assert.match(text, 'replicas: 3')
  assert.match(text, '- image: i\n        name: a\n      - image: j\n        name: b')
})

test('two layers that state different values are an error with both lines', async ({ folder }) => {
  const { code, errors } = await build(folder, {
    'a.config.ts': `import { overlay } from 'orch/build'
export default overlay(${base}, {
  one: ${web('{\n replicas: 3 }')},
  two: ${web('{\n replicas: 4 }')} })`,
  })
  assert.is(code, 1)
  assert.match(
    errors,
    /^a\.config\.ts:6:2: error: Deployment web: \.spec\.replicas: two and one state/,
  )
  assert.match(errors, 'a.config.ts:4:2: one states it here')
})

test('layers that state the same value agree', async ({ folder }) => {
  const layers = `{ one: ${web('{ replicas: 3 }')}, two: ${web('{ replicas: 3 }')} }`
  const { code } = await build(folder, {
    'a.config.ts': `import { overlay } from 'orch/build'\nexport default overlay(${base}, ${layers})`,
  })
  assert.is(code, 0)
})

test('patches take out fields, items and objects', async ({ folder }) => {
  const patches = `[${web(`{ replicas: null, template: { spec: { containers: [{ name: 'b', image: 'j' }, { name: 'a', $patch: 'delete' }] } } }`)}, { ...${map('')}, $patch: 'delete' }]`
  const { code, text, errors } = await build(folder, {
    'a.config.ts': `import { patched } from 'orch/build'\nexport default patched([${base}, ${map('')}], ${patches})`,
  })
  assert.is(code, 0, errors)
  assert.not.match(text, 'replicas')
  assert.not.match(text, 'ConfigMap')
  assert.not.match(text, 'image: i')
})

test('what others need comes first, whatever the order of the module', async ({ folder }) => {
  const { text } = await build(folder, {
    'a.config.ts': `const named = (kind: string, apiVersion = 'v1') => ({ apiVersion, kind, metadata: { name: 'a' } })
export default [${base}, { kind: 'List', apiVersion: 'v1', items: [named('ServiceAccount'), ${map('')}] }, named('Namespace')]`,
  })
  const kinds = [...text.matchAll(/^kind: (.*)$/gm)].map(([, kind]) => kind)
  assert.equal(kinds, ['Namespace', 'ServiceAccount', 'ConfigMap', 'Deployment'])
})

test('names with hashes are those of kustomize, and references follow', async ({ folder }) => {
  const overlayFolder = join(folder, 'k')
  await mkdir(overlayFolder)
  await writeFile(
    join(overlayFolder, 'kustomization.yaml'),
    'namePrefix: dev-\nconfigMapGenerator:\n- name: settings\n  literals: ["A=b<c>&", "Z=ü"]\nsecretGenerator:\n- name: key\n  literals: [p=ö]\n',
  )
  const { stdout, status } = spawnSync('kubectl', ['kustomize', overlayFolder], {
    encoding: 'utf8',
  })
  if (status !== 0) return console.log('SKIP names with hashes: kubectl is not installed')
  const { text, errors } = await build(folder, {
    'a.config.ts': `import { configMap, named, secret } from 'orch/build'
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'i',
  envFrom: [{ configMapRef: { name: 'settings' } }] }], volumes: [{ name: 'key', secret: { secretName: 'key' } }, { name: 'other', configMap: { name: 'other' } }] } }
export default named({ prefix: 'dev-' }, [configMap({ name: 'settings', data: { A: 'b<c>&', Z: 'ü' } }), secret({ name: 'key', data: { p: 'ö' } }), pod])`,
  })
  const names = [...stdout.matchAll(/name: (.*)$/gm)].map(([, name]) => name as string)
  assert.is(names.length, 2)
  for (const name of names) assert.is(text.split(`ame: ${name}\n`).length, 3, `${text}${errors}`)
  assert.match(text, 'name: other\n')
})

test('what objects say of each other is told at the line that says it', async ({ folder }) => {
  const uses = `{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'user' }, spec: { containers: [
  { name: 'a', image: 'b', envFrom: [
    { configMapRef: { name: 'settingz' } }] }] } }`
  const settings = map('data: {}').replace("'a'", "'settings'")
  const module = `export default [${settings}, ${uses}]`
  const { code, errors } = await build(folder, { 'a.config.ts': module })
  assert.is(code, 0)
  assert.match(errors, 'a.config.ts:3:23: warning: Pod user: ')
  assert.match(errors, 'did you mean "settings"?')
})

test('--check compares and writes nothing, and a module that is wrong leaves the file as it was', async ({
  folder,
}) => {
  const module = join(folder, 'a.config.ts')
  const out = join(folder, 'out')
  await writeFile(module, `export default ${map(`data: { a: 'b' }`)}`)
  assert.is((await run(folder, module, '--out', out, '--check')).code, 1)
  assert.is((await run(folder, module, '--out', out)).code, 0)
  assert.is((await run(folder, module, '--out', out, '--check')).code, 0)
  const before = await readFile(join(out, 'a.yaml'), 'utf8')
  await writeFile(module, `export default ${map(`data: { a: 'c' }`)}`)
  const { code, errors } = await run(folder, module, '--out', out, '--check')
  assert.is(code, 1)
  assert.match(errors, '-  a: b\n+  a: c')
  await writeFile(module, `export default ${map(`data: { a: 5 }`)}`)
  assert.is((await run(folder, module, '--out', out)).code, 1)
  assert.is(await readFile(join(out, 'a.yaml'), 'utf8'), before)
  assert.equal(await readdir(out), ['a.yaml'])
})

test('the example gives what is committed', async () => {
  const folder = 'examples/configuration'
  const module = join(folder, 'production.config.ts')
  const { code, errors } = await run(folder, module, '--out', folder, '--check')
  assert.is(code, 0, errors)
})

test.run()
