// biome-ignore-all lint/suspicious/noTemplateCurlyInString: places of snippets are written so
/** What `orch lsp` answers, asked as editors ask, of one server for all. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type {
  CodeAction,
  CompletionItem,
  DocumentLink,
  DocumentSymbol,
  Hover,
  Location,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver/node'
import { runExplain } from '../../../../tools/orch/explain.ts'
import { Editor } from '../../../support/editor.ts'

const test = suite('tools/orch: lsp answers')

const files: Readonly<Record<string, string>> = {
  'settings.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  level: info
`,
  'service.yaml': `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web
  ports:
    - name: http
      port: 80
      targetPort: http
`,
  'pods.yaml': `apiVersion: v1
kind: Pod
metadata:
  name: web-1
  labels:
    app: web
spec:
  containers:
    - name: web
      image: registry.example.org/web:1.4
      ports:
        - name: http
          containerPort: 8080
      env:
        - name: LEVEL
          valueFrom:
            configMapKeyRef:
              name: settings
              key: level
`,
  'sizes.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boxes.shop.example.org
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
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size:
                  description: How large a box is.
                  type: string
                  enum: [small, large]
                lid:
                  type: boolean
                  default: true
`,
  'wraps.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gifts.shop.example.org
  annotations:
    orch.io/references: '[{"field": "spec.box", "kind": "Box", "group": "shop.example.org"}, {"field": "spec.card", "kind": "Secret"}]'
spec:
  group: shop.example.org
  scope: Namespaced
  names: {plural: gifts, singular: gift, kind: Gift, listKind: GiftList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {box: {type: string}, card: {type: string}}}
`,
  'presents.yaml': `apiVersion: shop.example.org/v1
kind: Box
metadata: {name: red}
spec: {size: small}
---
apiVersion: shop.example.org/v1
kind: Gift
metadata: {name: first}
spec: {box: red, card: greetings}
---
apiVersion: v1
kind: Secret
metadata: {name: greetings}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Service
metadata: {name: front, namespace: shop}
spec: {ports: [{port: 80}]}
`,
}

const root = mkdtempSync(join(tmpdir(), 'orch-lsp-'))
for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
const editor = new Editor(root)

test.before(async () => {
  const { capabilities, serverInfo } = await editor.start()
  assert.is(serverInfo?.name, 'orch lsp')
  assert.ok(capabilities.completionProvider && capabilities.hoverProvider)
  await editor.checked()
})
test.after(async () => {
  assert.is(await editor.end(), 0)
  rmSync(root, { recursive: true })
})

const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n'
const container = `${deployment}  template:\n    spec:\n      containers:\n        - name: web\n`
const agent = 'apiVersion: orchlet.config.orch.io/v1beta1\nkind: OrchletConfiguration\n'

/** Asks for completions at the bar: the labels, in the order in which they are shown. */
async function labels(marked: string, name = 'typed.yaml'): Promise<readonly string[]> {
  return (await completions(marked, name)).map(({ label }) => label)
}

async function completions(marked: string, name = 'typed.yaml') {
  const items: readonly CompletionItem[] = await editor.ask('completion', name, marked)
  return [...items].sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1))
}

/** What is inserted for a label. */
async function inserted(marked: string, label: string, name = 'typed.yaml') {
  const found = (await completions(marked, name)).find((one) => one.label === label)
  return (found?.textEdit as TextEdit | undefined)?.newText
}

/** Text with a bar where something is typed, and what has to be among the completions, the first of them first. */
const typed: readonly (readonly [what: string, marked: string, first: readonly string[]])[] = [
  ['an empty text: the words of every object', '|', ['apiVersion', 'kind']],
  [
    'kinds of a version',
    'apiVersion: apps/v1\nkind: |\n',
    ['ControllerRevision', 'DaemonSet', 'Deployment'],
  ],
  ['versions of a kind', 'apiVersion: |\nkind: Deployment\n', ['apps/v1']],
  ['a kind that a definition makes', 'apiVersion: shop.example.org/v1\nkind: |\n', ['Box']],
  [
    'fields, those that must be there first',
    `${deployment}  |\n`,
    ['selector', 'template', 'replicas'],
  ],
  ['fields before others', `${deployment}  rep|\n  selector: {}\n`, ['template', 'replicas']],
  ['fields behind a tab', `${deployment}\t|\n`, ['selector', 'template', 'replicas']],
  ['fields of an item', `${container}          im|\n`, ['image', 'command']],
  ['fields of a new item', `${container}        - |\n`, ['name', 'image']],
  ['an item where a dash would stand', `${container}        |\n`, ['name', 'image']],
  [
    'the values of an enumeration, the default first',
    `${deployment}  strategy:\n    type: |\n`,
    ['RollingUpdate', 'Recreate'],
  ],
  ['a value right behind its colon', `${deployment}  paused:|\n`, ['true', 'false']],
  ['fields in braces', `${deployment}  strategy: {|}\n`, ['type', 'rollingUpdate']],
  ['fields below a broken line', `: : [\n---\n${deployment}  |\n`, ['selector', 'template']],
  [
    'fields of a kind of the workspace',
    'apiVersion: shop.example.org/v1\nkind: Box\nspec:\n  |\n',
    ['size', 'lid'],
  ],
  [
    'values of a kind of the workspace',
    'apiVersion: shop.example.org/v1\nkind: Box\nspec:\n  size: |\n',
    ['small', 'large'],
  ],
  [
    'fields of an item of a List',
    `apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: ConfigMap\n    da|\n`,
    ['metadata', 'immutable', 'data'],
  ],
  [
    'names of config maps',
    `${container}          envFrom:\n            - configMapRef:\n                name: |\n`,
    ['settings'],
  ],
  [
    'keys of a config map',
    `${container}          env:\n            - name: L\n              valueFrom:\n                configMapKeyRef:\n                  name: settings\n                  key: |\n`,
    ['level'],
  ],
  [
    'ports of a service',
    'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\nspec:\n  defaultBackend:\n    service:\n      name: web\n      port:\n        name: |\n',
    ['http'],
  ],
  [
    'kinds of owners',
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  ownerReferences:\n    - apiVersion: apps/v1\n      kind: |\n      name: a\n`,
    ['ControllerRevision', 'DaemonSet'],
  ],
  [
    'labels that pods have',
    'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  selector:\n    |\n',
    ['app'],
  ],
  [
    'values of labels that pods have',
    'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  selector:\n    app: |\n',
    ['web'],
  ],
  ['settings of a daemon', `${agent}maxP|\n`, []],
  [
    'flags of a daemon',
    `${container}          image: example.org/orch-scheduler:1\n          args:\n            - --|\n`,
    [],
  ],
]

for (const [what, marked, first] of typed) {
  test(`completion has ${what}`, async () => {
    const found = await labels(marked)
    assert.equal(found.slice(0, first.length), first)
    assert.ok(found.length > 0)
  })
}

test('settings, gates and flags of daemons are completed', async () => {
  assert.ok((await labels(`${agent}maxP|\n`)).includes('maxPods'))
  const gates = await completions(`${agent}featureGates:\n  |\n`)
  const found = gates.find(({ label }) => label === 'APIListChunking')
  assert.is(found?.detail, 'GA since 1.29, on, locked')
  const args = `${container}          image: example.org/orch-scheduler:1\n          args:\n            - --|\n`
  assert.ok((await labels(args)).includes('--leader-elect'))
})

test('what is inserted has its default, its choice, and what must be below', async () => {
  assert.is(await inserted(`${deployment}  |\n`, 'replicas'), 'replicas: ${1:1}')
  assert.is(await inserted(`${deployment}  |\n`, 'paused'), 'paused: ${1|true,false|}')
  assert.is(await inserted(`${container}          |\n`, 'ports'), 'ports:\n  - containerPort: $1')
  assert.is(await inserted(`${deployment}  strategy:|\n`, 'type'), undefined)
  assert.is(
    await inserted(`${deployment}  strategy: |\n`, 'type'),
    '\n  type: ${1|RollingUpdate,Recreate|}',
  )
})

test('JSON gets its quotes', async () => {
  const json = '{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {|}}'
  assert.is(await inserted(json, 'replicas', 'typed.json'), '"replicas": ${1:1}')
  assert.is(
    await inserted(json.replace('{|}', '{"strategy": {"type": |}}'), 'Recreate', 'typed.json'),
    '"Recreate"',
  )
  assert.equal(
    (await labels('{"apiVersion": "apps/v1", "kind": "De|"}', 'typed.json')).slice(0, 2),
    ['ControllerRevision', 'DaemonSet'],
  )
})

test('no field that is there already is completed, and no name is made up', async () => {
  assert.not.ok((await labels(`${deployment}  replicas: 1\n  |\n`)).includes('replicas'))
  assert.equal(await labels('apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n'), [])
  assert.equal(
    await labels(
      'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |-\n    x\n    y\n'
        .replace('y\n', 'y|\n')
        .replace('|-', '>-'),
    ),
    [],
  )
})

/** Asks what is told of the place at the bar. */
async function hover(marked: string): Promise<string> {
  const found: Hover | null = await editor.ask('hover', 'typed.yaml', marked)
  return found === null ? '' : (found.contents as { readonly value: string }).value
}

test('a field is described with its type, default, bounds and the line of its schema', async () => {
  const text = await hover(`${deployment}  |replicas: 2\n`)
  assert.match(text, '**replicas** `integer, int32`')
  assert.match(text, 'Number of pods wanted')
  assert.match(text, '- default: `1`\n- `minimum: 0`')
  const [, line = '0'] = /`schemas\/api\/apps\/v1\/deployment\.yaml:(\d+)`/.exec(text) ?? []
  assert.match(
    readFileSync('schemas/api/apps/v1/deployment.yaml', 'utf8').split('\n')[Number(line) - 1] ?? '',
    'replicas:',
  )
})

test('hover and orch explain tell the same line and the same words of a field', async () => {
  for (const field of ['replicas', 'minReadySeconds', 'strategy', 'paused', 'template']) {
    const out: string[] = []
    const print = (line: string) => void out.push(line)
    const args = [`deployment.spec.${field}`]
    await runExplain({ args, environment: {}, width: 100, print, printError: print })
    const [, line = '?', said = '?'] =
      /^SCHEMA: +.*(schemas\/api\/.*:\d+)$[\s\S]*^DESCRIPTION:\n {2}(.*)$/m.exec(out.join('\n')) ??
      []
    const told = (await hover(`${deployment}  |${field}:\n`)).replaceAll('\\', '')
    assert.match(told, `schema: \`${line}\``)
    assert.match(told, said)
  }
})

test('a kind is described with its release, a gate with its stage, a field of a definition with its line', async () => {
  const flow = 'apiVersion: flowcontrol.apiserver.k8s.io/v1\n|kind: FlowSchema\n'
  assert.match(await hover(flow), 'since: `1.29`')
  assert.match(await hover(`${agent}featureGates:\n  |APIListChunking: true\n`), 'GA since 1.29')
  const box = await hover('apiVersion: shop.example.org/v1\nkind: Box\nspec:\n  si|ze: small\n')
  assert.match(box, 'How large a box is.')
  assert.match(box, 'one of: `small`, `large`')
  assert.match(box, 'sizes.yaml:')
  assert.is(await hover('a: |b\n'), '')
})

test('a text of a definition is no markup of a description', async () => {
  const text = files['sizes.yaml']?.replace('How large a box is.', "'<b>![x](y)'") ?? ''
  await editor.type('sizes.yaml', text)
  const box = 'apiVersion: shop.example.org/v1\nkind: Box\nspec:\n  |size: small\n'
  await editor.eventually(async () => (await hover(box)).includes('\\<b\\>!\\[x\\](y)'))
  await editor.type('sizes.yaml', files['sizes.yaml'] ?? '')
  await editor.eventually(async () => (await hover(box)).includes('How large'))
})

/** Where a question leads, as `file:line`. */
async function ways(method: string, marked: string, more: object = {}): Promise<readonly string[]> {
  const found: Location | readonly Location[] | null = await editor.ask(
    method,
    'typed.yaml',
    marked,
    more,
  )
  const all = found === null ? [] : Array.isArray(found) ? found : [found as Location]
  return all.map(
    ({ uri, range }) => `${uri.slice(uri.lastIndexOf('/') + 1)}:${range.start.line + 1}`,
  )
}

const reference = `${container}          envFrom:\n            - configMapRef: {name: |settings}\n`

test('a name leads to its object, a field to its schema and to its type', async () => {
  assert.equal(await ways('definition', reference), ['settings.yaml:4'])
  const [declared = ''] = await ways('definition', `${deployment}  |strategy: {}\n`)
  assert.match(declared, /^deployment\.yaml:\d+$/)
  const [type = ''] = await ways('typeDefinition', `${deployment}  |strategy: {}\n`)
  assert.match(type, /^deployment\.yaml:\d+$/)
  assert.is.not(type, declared)
  assert.match(
    (await ways('definition', `${deployment.replace('kind: Dep', 'kind: |Dep')}`))[0] ?? '',
    'deployment.yaml:',
  )
  assert.equal(
    await ways('definition', 'apiVersion: shop.example.org/v1\nkind: Box\nspec:\n  si|ze: small\n'),
    ['sizes.yaml:21'],
  )
})

test('everything that names an object is found, in texts that are being edited, too', async () => {
  const context = { includeDeclaration: true }
  assert.equal(await ways('references', reference, { context }), [
    'settings.yaml:4',
    'pods.yaml:18',
    'typed.yaml:11',
  ])
  const key = `${container}          env:\n            - {name: L, valueFrom: {configMapKeyRef: {name: settings, key: le|vel}}}\n`
  assert.equal(await ways('references', key, { context }), ['pods.yaml:19', 'typed.yaml:11'])
})

test('links lead from names to objects', async () => {
  await editor.type('typed.yaml', reference.replace('|', ''))
  const links: readonly DocumentLink[] = await editor.about('documentLink', 'typed.yaml')
  assert.equal(
    links.map(({ target = '' }) => target.slice(target.lastIndexOf('/') + 1)),
    ['settings.yaml#L4'],
  )
})

/** What a change makes of each file, as `file:line:column text`. */
function changes({ documentChanges = [] }: WorkspaceEdit): readonly string[] {
  return (documentChanges as readonly TextDocumentEdit[]).flatMap(
    ({ textDocument: { uri }, edits }) =>
      (edits as readonly TextEdit[]).map(
        ({ range: { start }, newText }) =>
          `${uri.slice(uri.lastIndexOf('/') + 1)}:${start.line + 1}:${start.character + 1} ${newText}`,
      ),
  )
}

test('a rename changes the object and everything that names it', async () => {
  const placeholder: { readonly placeholder: string } = await editor.ask(
    'prepareRename',
    'typed.yaml',
    reference,
  )
  assert.is(placeholder.placeholder, 'settings')
  const edit: WorkspaceEdit = await editor.ask('rename', 'typed.yaml', reference, {
    newName: 'options',
  })
  assert.equal([...changes(edit)].sort(), [
    'pods.yaml:18:21 options',
    'settings.yaml:4:9 options',
    'typed.yaml:11:36 options',
  ])
  const key = `${container}          env:\n            - {name: L, valueFrom: {configMapKeyRef: {name: settings, key: le|vel}}}\n`
  const keyed: WorkspaceEdit = await editor.ask('rename', 'typed.yaml', key, { newName: 'depth' })
  assert.equal([...changes(keyed)].sort(), [
    'pods.yaml:19:20 depth',
    'settings.yaml:6:3 depth',
    'typed.yaml:11:76 depth',
  ])
})

const gift = (box: string, card: string) =>
  `apiVersion: shop.example.org/v1\nkind: Gift\nmetadata: {name: second}\nspec: {box: ${box}, card: ${card}}\n`

test('objects of custom kinds are renamed and found by what their definition says of its fields', async () => {
  const box = gift('r|ed', 'greetings')
  const context = { includeDeclaration: true }
  assert.equal(await ways('references', box, { context }), [
    'presents.yaml:3',
    'presents.yaml:9',
    'typed.yaml:4',
  ])
  const fresh = { newName: 'blue' }
  const edit: WorkspaceEdit = await editor.ask('rename', 'typed.yaml', box, fresh)
  assert.equal([...changes(edit)].sort(), [
    'presents.yaml:3:18 blue',
    'presents.yaml:9:13 blue',
    'typed.yaml:4:13 blue',
  ])
  const card = gift('red', 'gree|tings')
  const moved: WorkspaceEdit = await editor.ask('rename', 'typed.yaml', card, fresh)
  assert.equal([...changes(moved)].sort(), [
    'presents.yaml:13:18 blue',
    'presents.yaml:9:24 blue',
    'typed.yaml:4:24 blue',
  ])
})

const labelled = `apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: w|eb, tier: "web"}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: v1
kind: Service
metadata: {name: other}
spec: {selector: {app: other}}
`

test('a rename of a label changes the pods that have it and the selectors that find them by it', async () => {
  const rename = async (marked: string, newName: string) =>
    editor.ask<WorkspaceEdit>('rename', 'typed.yaml', marked, { newName })
  assert.is(
    (await editor.ask<{ readonly placeholder: string }>('prepareRename', 'typed.yaml', labelled))
      .placeholder,
    'web',
  )
  assert.equal([...changes(await rename(labelled, 'shop'))].sort(), [
    'pods.yaml:6:10 shop',
    'service.yaml:7:10 shop',
    'typed.yaml:5:33 shop',
    'typed.yaml:8:21 shop',
  ])
  assert.equal([...changes(await rename(labelled, '8'))].sort()[0], 'pods.yaml:6:10 "8"')
  const key = labelled.replace('w|eb', 'web').replace('{app: web, tier', '{ap|p: web, tier')
  assert.equal([...changes(await rename(key, 'example.org/app'))].sort(), [
    'pods.yaml:6:5 example.org/app',
    'service.yaml:7:5 example.org/app',
    'typed.yaml:5:28 example.org/app',
    'typed.yaml:8:16 example.org/app',
  ])
  const refused = (marked: string, newName: string) =>
    rename(marked, newName).then(
      () => '',
      ({ message }: Error) => message,
    )
  assert.match(await refused(labelled, 'other'), 'Service other has a label app: other already')
  assert.match(
    await refused(labelled, 'no label'),
    'no label: a valid label must be an empty string or consist',
  )
  assert.match(await refused(key, 'tier'), 'has a label tier: web already')
  const expression = `${labelled}---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: few}
spec: {selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}}
`
  assert.match(await refused(expression, 'shop'), 'PodDisruptionBudget few names the label app')
})

test('a rename that cannot be is refused with its reason, and changes nothing', async () => {
  const refused = async (marked: string, newName: string) => {
    const answer = editor.ask('rename', 'typed.yaml', marked, { newName })
    return answer.then(
      () => '',
      ({ message }: Error) => message,
    )
  }
  const named = (kind: string, name: string, more = '') =>
    `apiVersion: v1\nkind: ${kind}\nmetadata: {name: |${name}${more}}\n`
  assert.match(await refused(reference, 'No Name'), 'No Name: a lowercase RFC 1123 subdomain must')
  assert.match(await refused(reference, 'under_score'), 'under_score: a lowercase RFC 1123')
  assert.match(await refused(gift('r|ed', 'greetings'), 'a:b'), 'a:b: a lowercase RFC 1123')
  const front = named('Service', 'front', ', namespace: shop')
  assert.match(await refused(front, '8th'), '8th: a DNS-1035 label must')
  assert.match(await refused(named('Namespace', 'shop'), 'a.b'), 'a.b: must not contain dots')
  assert.match(
    await refused(named('Namespace', 'shop'), 'store'),
    'Service front is in the namespace: move it first',
  )
  assert.match(await refused(named('Namespace', 'shop'), ''), 'Namespace shop needs a name')
  assert.match(
    await refused((files['sizes.yaml'] ?? '').replace('name: boxes', 'name: |boxes'), 'other'),
    'the name of a CustomResourceDefinition follows from its spec.names.plural and spec.group',
  )
  const key = `${container}          env:\n            - {name: L, valueFrom: {configMapKeyRef: {name: settings, key: le|vel}}}\n`
  assert.match(await refused(key, 'a b'), 'a b: a valid config key must consist of')
  assert.match(
    await refused(reference.replace('|settings', 'no|ne'), 'other'),
    'no file of the workspace has ConfigMap none',
  )
  assert.match(await refused(`${deployment}  pau|sed: true\n`, 'other'), 'no name of an object')
  assert.is(await editor.ask('prepareRename', 'typed.yaml', `${deployment}  pau|sed: true\n`), null)
})

test('objects and their fields are symbols, and what goes over lines folds', async () => {
  await editor.type('typed.yaml', `${container}---\n${files['settings.yaml']}`)
  const symbols: readonly DocumentSymbol[] = await editor.about('documentSymbol', 'typed.yaml')
  assert.equal(
    symbols.map(({ name, detail }) => [name, detail]),
    [
      ['Deployment shop', 'apps/v1'],
      ['ConfigMap settings', 'v1'],
    ],
  )
  assert.equal(
    symbols[0]?.children?.map(({ name }) => name),
    ['apiVersion', 'kind', 'metadata', 'spec'],
  )
  const folds: readonly { readonly startLine: number; readonly endLine: number }[] =
    await editor.about('foldingRange', 'typed.yaml')
  assert.ok(folds.some(({ startLine, endLine }) => startLine === 4 && endLine === 8))
})

/** The actions that are offered for the finding of a rule, by their titles, and what they make of the text. */
async function actions(name: string, text: string, rule: string) {
  await editor.type(name, text)
  await editor.until(() => editor.rules(name).includes(rule))
  const all = editor.diagnostics.get(editor.uri(name)) ?? []
  const diagnostic = all.find(({ code }) => code === rule)
  const found: readonly CodeAction[] = await editor.about('codeAction', name, {
    range: diagnostic?.range,
    context: { diagnostics: [diagnostic] },
  })
  return found.map(({ title, edit, isPreferred }) => ({
    title,
    isPreferred,
    changes: edit ? changes(edit) : [],
  }))
}

test('a safe fix is preferred, and a finding can be suppressed with a reason and a last day', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  Labels: {a: b}\n'
  const [fix, suppress, all] = await actions('fixed.yaml', text, 'field.unknown')
  assert.equal(fix, {
    title: 'rename Labels to labels',
    isPreferred: true,
    changes: ['fixed.yaml:5:3 labels'],
  })
  assert.match(
    suppress?.changes[0] ?? '',
    /^fixed\.yaml:5:1 {3}# orch-ignore field\.unknown until \d{4}-\d\d-\d\d: state the reason here\n$/,
  )
  assert.match(all?.changes[0] ?? '', '  labels: {a: b}')
  await editor.type(
    'fixed.yaml',
    text.replace('  Labels', '  # orch-ignore field.unknown until 2999-01-01: it is\n  Labels'),
  )
  await editor.until(() => editor.rules('fixed.yaml').length === 0)
})

test('the nearest name and the values of a field are offered', async () => {
  const far = `${container.replace('shop', 'far')}          image: a\n          envFrom:\n            - configMapRef: {name: setting}\n  selector: {matchLabels: {a: b}}\n`
  const text = far.replace('    spec:', '    metadata: {labels: {a: b}}\n    spec:')
  assert.equal(
    (await actions('far.yaml', text, 'reference.missing'))[0]?.title,
    'change to settings',
  )
  const policy =
    'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  restartPolicy: always\n  containers: [{name: a, image: b}]\n'
  assert.equal((await actions('policy.yaml', policy, 'field.not-supported'))[0], {
    title: 'change to Always',
    isPreferred: false,
    changes: ['policy.yaml:5:18 Always'],
  })
})

test.run()
