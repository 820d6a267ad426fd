/** Findings in an editor: those of `orch validate`, as texts are typed and files change, whatever is in them. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CompletionItem } from 'vscode-languageserver/node'
import { Editor } from '../../../support/editor.ts'

const test = suite('tools/orch: lsp diagnostics')

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const command = here('../../../../tools/orch/main.js')
const golden = readFileSync(here('../../../../../test/golden/validate/broken.txt'), 'utf8')
const root = mkdtempSync(join(tmpdir(), 'orch-lsp-'))

for (const part of golden.split(/^### /m).slice(1)) {
  const end = part.indexOf('\n')
  const [name = ''] = part.slice(0, end).split(' | ')
  writeFileSync(join(root, `${name}.yaml`), part.slice(end + 1).replaceAll('§', ''))
}
const daemon =
  'apiVersion: orchlet.config.orch.io/v1beta1\nkind: OrchletConfiguration\nmaxPod: 10\n'
writeFileSync(join(root, 'agent.yaml'), daemon)
mkdirSync(join(root, 'chart/templates'), { recursive: true })
writeFileSync(join(root, 'chart/Chart.yaml'), 'name: a\n')
writeFileSync(join(root, 'chart/templates/a.yaml'), '{{ broken }}: [\n')

interface Plain {
  readonly file: string
  readonly line?: number
  readonly column?: number
  readonly rule: string
  readonly severity: string
  readonly message: string
}

const run = spawnSync(process.execPath, [command, 'validate', '.', '-o', 'json'], { cwd: root })
const wanted = (JSON.parse(run.stdout.toString()).findings as readonly Plain[]).map(
  ({ file, line = 1, column = 1, rule, severity, message }) =>
    `${file}:${line}:${column} ${severity} ${rule} ${message.replaceAll(/\bin \S+\.yaml/g, '')}`,
)

const editor = new Editor(root)
const severities = ['', 'error', 'warning', 'note']

function shown(): readonly string[] {
  const prefix = `${pathToFileURL(root).href}/`
  return [...editor.diagnostics].flatMap(([uri, all]) =>
    all.map(
      ({ range: { start }, severity = 0, code, message }) =>
        `${uri.replace(prefix, '')}:${start.line + 1}:${start.character + 1} ${severities[severity]} ${code} ${message}`,
    ),
  )
}

test.before(async () => {
  await editor.start()
  await editor.checked()
})
test.after(async () => {
  assert.is(await editor.end(), 0)
  rmSync(root, { recursive: true })
})

test('every broken file has the findings of orch validate: places, severities, rules and messages', () => {
  assert.ok(wanted.length >= 165, `${wanted.length} findings`)
  assert.equal([...shown()].sort(), [...wanted].sort())
})

test('a finding has the line of the schema, and the places that it speaks of', () => {
  const unknown = editor.diagnostics.get(editor.uri('deployment-01.yaml')) ?? []
  const [about] = unknown[0]?.relatedInformation ?? []
  assert.match(about?.location.uri ?? '', '/schemas/api/apps/v1/deployment.yaml')
  assert.is(unknown[0]?.source, 'orch')
})

const map = (name: string, extra = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${extra}`
const user = (name: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: user}\nspec:\n  containers:\n    - {name: a, image: b, envFrom: [{configMapRef: {name: ${name}}}]}\n`

test('a text that is typed has its findings, and those of texts that refer to it change', async () => {
  await editor.type('map.yaml', map('options', 'date: {a: b}\n'))
  await editor.until(() => editor.rules('map.yaml').includes('field.unknown'))
  await editor.type('user.yaml', user('option'))
  await editor.until(() => editor.rules('user.yaml').includes('reference.missing'))
  await editor.type('map.yaml', map('option', 'data: {a: b}\n'))
  await editor.until(
    () => editor.rules('user.yaml').length === 0 && editor.rules('map.yaml').length === 0,
  )
})

test('files on disk count once their texts are closed, and what is removed is gone', async () => {
  writeFileSync(join(root, 'map.yaml'), map('options'))
  await editor.shut('map.yaml')
  await editor.until(() => editor.rules('user.yaml').includes('reference.missing'))
  writeFileSync(join(root, 'map.yaml'), map('option'))
  await editor.changedOnDisk('map.yaml')
  await editor.until(() => editor.rules('user.yaml').length === 0)
  writeFileSync(join(root, 'map.yaml'), map('options', 'date: {}\n'))
  await editor.changedOnDisk('map.yaml')
  await editor.until(() => editor.rules('map.yaml').length > 0)
  rmSync(join(root, 'map.yaml'))
  await editor.changedOnDisk('map.yaml')
  await editor.until(() => editor.rules('map.yaml').length === 0)
  await editor.shut('user.yaml')
})

test('what a kustomization reads as a patch has no finding while it does, in an editor, too', async () => {
  const patch = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replica: 2}\n'
  const kustomization = join(root, 'overlay/kustomization.yaml')
  const isTold = () => editor.rules('overlay/patch.yaml').includes('field.unknown')
  const isQuiet = () => editor.rules('overlay/patch.yaml').length === 0
  mkdirSync(join(root, 'overlay'))
  writeFileSync(join(root, 'overlay/patch.yaml'), patch)
  await editor.changedOnDisk('overlay/patch.yaml')
  await editor.until(isTold)
  for (const step of ['on disk', 'open']) {
    if (step === 'open') await editor.type('overlay/patch.yaml', patch)
    writeFileSync(kustomization, 'patches: [{path: patch.yaml}]\n')
    await editor.changedOnDisk('overlay/kustomization.yaml')
    await editor.until(isQuiet)
    rmSync(kustomization)
    await editor.changedOnDisk('overlay/kustomization.yaml')
    await editor.until(isTold)
  }
  await editor.shut('overlay/patch.yaml')
  rmSync(join(root, 'overlay'), { recursive: true })
  await editor.changedOnDisk('overlay/patch.yaml')
  await editor.until(isQuiet)
})

const definition = (type: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.shop.example.org}
spec:
  group: shop.example.org
  scope: Namespaced
  names: {plural: boxes, singular: box, kind: Box, listKind: BoxList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {size: {type: ${type}}}
`

test('a definition that is typed judges other files, which are checked again when it changes', async () => {
  const box = 'apiVersion: shop.example.org/v1\nkind: Box\nmetadata: {name: a}\nsize: small\n'
  await editor.type('box.yaml', box)
  await editor.until(() => editor.rules('box.yaml').includes('kind.unknown'))
  await editor.type('definition.yaml', definition('integer'))
  await editor.until(() => editor.rules('box.yaml').includes('field.type'))
  await editor.type('definition.yaml', definition('string'))
  await editor.until(() => editor.rules('box.yaml').length === 0)
})

test('a file of another tool, and one that is in no folder of the workspace, are judged by themselves', async () => {
  await editor.type('../elsewhere.yaml', map('elsewhere', 'date: {}\n'))
  await editor.until(() => editor.rules('../elsewhere.yaml').includes('field.unknown'))
  await editor.shut('../elsewhere.yaml')
  await editor.until(() => editor.rules('../elsewhere.yaml').length === 0)
  assert.not.ok(editor.diagnostics.has(editor.uri('chart/templates/a.yaml')))
})

/** Aliases of which each stands for the one before it twice. */
function doubled(times: number): string {
  const lines = Array.from(
    { length: times },
    (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`,
  )
  return ['a0: &a0 [x, x]', ...lines].join('\n')
}

/** Texts that would keep a careless reader busy, or end it. */
const hostile: readonly (readonly [name: string, text: string])[] = [
  ['anchors that stand for each other', doubled(16)],
  ['an anchor that contains itself', 'a: &a\n  b: *a\n'],
  ['ten thousand open brackets', `a: ${'['.repeat(10_000)}`],
  ['ten thousand dashes', '- '.repeat(10_000)],
  ['a quote that is never closed', `a: "${'b\n'.repeat(5_000)}`],
  ['keys of a prototype', '__proto__: {a: b}\nconstructor: 1\nkind: ConfigMap\napiVersion: v1\n'],
  ['characters that are none', 'a: \ud800\u0000\u0007\n\uFEFF'],
  [
    'a text that is too large for answers',
    `# ${'x'.repeat(1_100_000)}\napiVersion: v1\nkind: ConfigMap\n`,
  ],
  ['only separators', '---\n'.repeat(2_000)],
]

for (const [what, text] of hostile) {
  test(`${what}: every question is answered`, async () => {
    await editor.type('hostile.yaml', text)
    const position = { line: 0, character: 3 }
    const range = { start: position, end: position }
    const asked = ['completion', 'hover', 'definition', 'typeDefinition', 'prepareRename']
    await Promise.all(asked.map((one) => editor.about(one, 'hostile.yaml', { position })))
    await editor.about('references', 'hostile.yaml', {
      position,
      context: { includeDeclaration: true },
    })
    await editor.about('codeAction', 'hostile.yaml', { range, context: { diagnostics: [] } })
    await Promise.all(
      ['documentSymbol', 'foldingRange', 'documentLink'].map((one) =>
        editor.about(one, 'hostile.yaml'),
      ),
    )
  })
}

test('after all that texts are still checked, and bytes that are no text have a finding', async () => {
  await editor.type('hostile.yaml', map('a', 'date: {}\n'))
  await editor.until(() => editor.rules('hostile.yaml').includes('field.unknown'))
  writeFileSync(join(root, 'bytes.yaml'), Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]))
  await editor.changedOnDisk('bytes.yaml')
  await editor.until(() => editor.rules('bytes.yaml').includes('text.encoding'))
  const items: readonly CompletionItem[] = await editor.ask(
    'completion',
    'hostile.yaml',
    'apiVersion: v1\nkind: ConfigMap\nda|\n',
  )
  assert.ok(items.some(({ label }) => label === 'data'))
})

test.run()
