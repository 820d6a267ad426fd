/** `orch import`: its arguments, its sources and what it leaves alone. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../codegen/main.ts'
import { customResourceDefinitions } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { startControlPlane } from '../../../runtime/testing/control-plane.ts'
import { compiledScheme } from '../../../tools/orch/compiled-scheme.ts'
import { runImport } from '../../../tools/orch/import.ts'
import { runHere } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'
import { widgetDefinition } from '../../support/widgets.ts'

const test = suite('tools/orch: import')

const manifest = join(packageRoot, 'test/golden/definitions/parks.parks.example.com.yaml')
const path = 'parks.example.com/v1/park.yaml'

const run = (...args: readonly string[]) => runHere(runImport, args)

test('one command makes schema files and a typed client of them', async () => {
  const home = tempDirectory()
  const [schemas, out] = [join(home, 'schemas'), join(home, 'generated')]
  const { code, text } = await run(manifest, '--schemas', schemas, '--out', out)
  assert.is(code, 0, text)
  assert.match(text, 'imported 1 kind into ')
  assert.match(text, ': 1 file written')
  assert.ok(existsSync(join(schemas, path)))
  assert.match(readFileSync(join(out, 'client.ts'), 'utf8'), 'parks')
})

test('every served version of a kind is served by a control plane, and keeps what the others lack', async () => {
  const home = tempDirectory()
  const [schemas, out] = [join(home, 'schemas'), join(home, 'generated')]
  const cachesManifest = join(packageRoot, 'examples/caches/deploy/cache-operator.yaml')
  const definition = readFileSync(cachesManifest, 'utf8')
    .split('---\n')
    .find((one) => one.includes('kind: CustomResourceDefinition'))
  const file = join(home, 'caches.yaml')
  writeFileSync(file, definition ?? '')
  const { code, text } = await run(file, '--schemas', schemas, '--out', out)
  assert.is(code, 0, text)
  assert.match(text, 'imported 1 kind into ')
  assert.match(text, ': 2 files written')
  assert.match(text, /v1beta1\/cache.yaml: .*spec\.servers/)
  const scheme = await compiledScheme({ schemas }, console.error)
  assert.ok(scheme)
  await using plane = await startControlPlane({ schemes: [scheme] })
  const older = await plane.client.dynamic('caches.v1beta1.caches.example.com')
  const newer = await plane.client.dynamic('caches.v1.caches.example.com')
  await older.create({ metadata: { name: 'c' }, spec: { size: 2 }, status: { ready: 1 } })
  await newer.mergePatch('c', { spec: { servers: 3 } })
  assert.equal((await older.get('c')).spec, { size: 2 })
  assert.equal((await newer.get('c')).spec, { servers: 3 })
})

test('a file that differs is not overwritten without --force, and nothing else is written then', async () => {
  const schemas = tempDirectory()
  mkdirSync(join(schemas, 'parks.example.com/v1'), { recursive: true })
  writeFileSync(join(schemas, path), 'mine')
  const refused = await run(manifest, '--schemas', schemas)
  assert.is(refused.code, 1)
  assert.match(refused.text, /not overwriting files that differ: .*park.yaml; --force does/)
  assert.is(readFileSync(join(schemas, path), 'utf8'), 'mine')
  assert.is((await run(manifest, '--schemas', schemas, '--force')).code, 0)
  assert.match((await run(manifest, '--schemas', schemas)).text, ': 0 files written')
})

const settings = {
  ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Shop settings' },
  ...{ type: 'object', required: ['colour'], additionalProperties: false },
  properties: {
    colour: { enum: ['red', 'blue'] },
    opens: { $ref: 'hours.json' },
  },
}

test('a bare JSON Schema becomes bare types, with what stands in files beside it', async () => {
  const home = tempDirectory()
  const [file, types] = [join(home, 'settings.schema.json'), join(home, 'src/settings.ts')]
  writeFileSync(file, JSON.stringify(settings))
  writeFileSync(join(home, 'hours.json'), '{"title":"Hours","type":"object"}')
  const { code, text } = await run(file, '--types', types)
  assert.is(code, 0, text)
  const written = readFileSync(types, 'utf8')
  assert.match(written, /export interface ShopSettings \{/)
  assert.match(written, /colour: .?\("red" \| "blue"\)|colour: "red" \| "blue"/)
  assert.match(written, /opens\?: Hours/)
})

test('a definition that is referred to under several descriptions is one type', async () => {
  const home = tempDirectory()
  const [file, types] = [join(home, 'shop.json'), join(home, 'shop.ts')]
  const hours = (description: string) => ({ $ref: '#/$defs/Hours', description })
  const schema = {
    ...{ title: 'Shop', type: 'object', additionalProperties: false },
    properties: {
      opens: hours('In the week.'),
      sunday: hours('On Sundays.'),
      plain: { $ref: '#/$defs/Hours' },
    },
    $defs: { Hours: { type: 'object', properties: { from: { type: 'integer' } } } },
  }
  writeFileSync(file, JSON.stringify(schema))
  const { code, text } = await run(file, '--types', types)
  assert.is(code, 0, text)
  const names = readFileSync(types, 'utf8').match(/(?<=export (?:interface|type) )\w+/g)
  assert.equal(names?.sort(), ['Hours', 'Shop'])
})

const wrongTypes: readonly (readonly [string, readonly string[], string])[] = [
  ['two sources', ['a.json', 'b.json', '--types', 't.ts'], '--types takes one JSON Schema'],
  ['no source', ['--types', 't.ts'], 'name a file or a URL'],
  ['a file that is not there', ['no.json', '--types', 't.ts'], 'no.json: no such file'],
]

for (const [what, args, message] of wrongTypes) {
  test(`--types with ${what} is refused`, async () => {
    const { code, text } = await run(...args)
    assert.is.not(code, 0)
    assert.match(text, message)
  })
}

test('types of a document that is no schema, or that leads elsewhere, are refused', async () => {
  const home = tempDirectory()
  const [file, types] = [join(home, 'a.json'), join(home, 'a.ts')]
  for (const content of [
    '[]',
    '{"a',
    '{"properties":{"a":{"$ref":"http://127.0.0.1:1/b.json"}}}',
  ]) {
    writeFileSync(file, content)
    const { code, text } = await run(file, '--types', types)
    assert.is(code, 1, text)
    assert.match(text, 'a.json: ')
    assert.not(existsSync(types))
  }
})

test('a JSON Schema is no definition: what to do instead is said', async () => {
  const home = tempDirectory()
  const file = join(home, 'a.json')
  writeFileSync(file, JSON.stringify(settings))
  const { code, text } = await run(file, '--schemas', home)
  assert.is(code, 1)
  assert.match(text, '--types FILE')
})

test('a URL is read, and what its server refuses is told', async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/parks.yaml' ? 200 : 404
    response.end(readFileSync(manifest))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const schemas = tempDirectory()
  assert.is((await run(`${url}/parks.yaml`, '--schemas', schemas)).code, 0)
  assert.ok(existsSync(join(schemas, path)))
  const missing = await run(`${url}/none.yaml`, '--schemas', schemas)
  assert.is(missing.code, 1)
  assert.is(missing.text, `orch import: ${url}/none.yaml: the server answers 404 Not Found`)
  await new Promise((resolve) => server.close(resolve))
})

test('definitions are chosen by group and kind; a choice of none says what there is', async () => {
  const schemas = tempDirectory()
  const group = ['--group', 'parks.example.com']
  assert.is((await run(manifest, '--schemas', schemas, ...group, '--kind', 'Park')).code, 0)
  const none = await run(manifest, '--schemas', schemas, '--kind', 'Pond')
  assert.is(none.code, 1)
  assert.match(
    none.text,
    'no definition is of that group and kind; there are Park of parks.example.com',
  )
})

/** A control plane whose definitions are imported, and an orchconfig with a context that names it. */
async function served(context: string) {
  const plane = await startControlPlane({ socket: true })
  await plane.client.resource(customResourceDefinitions).create(widgetDefinition)
  const orchconfig = join(tempDirectory(), 'orchconfig')
  writeFileSync(orchconfig, (plane.orchconfig ?? '').replaceAll(/\btest\b/g, context))
  return { plane, orchconfig }
}

test('the definitions of a running server become schema files and a typed client', async () => {
  const { plane, orchconfig } = await served('staging')
  await using _ = plane
  const home = tempDirectory()
  const [schemas, out] = [join(home, 'schemas'), join(home, 'generated')]
  const server = ['--kubeconfig', orchconfig, '--context', 'staging']
  const { code, text } = await run(...server, '--schemas', schemas, '--out', out)
  assert.is(code, 0, text)
  assert.match(text, 'imported 1 kind into ')
  const file = readFileSync(join(schemas, 'shop.example.com/v1/widget.yaml'), 'utf8')
  assert.match(file, 'description: How large.')
  assert.match(readFileSync(join(out, 'client.ts'), 'utf8'), 'widgets')
})

test('a server without the kind says which it has; one that refuses says why', async () => {
  const { plane, orchconfig } = await served('staging')
  await using _ = plane
  const schemas = ['--schemas', tempDirectory()]
  const none = await run('--kubeconfig', orchconfig, ...schemas, '--kind', 'Gadget')
  assert.is(none.code, 1)
  assert.match(none.text, 'there are Widget of shop.example.com')
  const unknown = await run('--kubeconfig', orchconfig, '--context', 'stagingg', ...schemas)
  assert.is(unknown.code, 1)
  assert.match(unknown.text, 'there is no context named "stagingg"; did you mean "staging"?')
  await plane.client.resource(customResourceDefinitions).delete('widgets.shop.example.com')
  const empty = await run('--kubeconfig', orchconfig, ...schemas)
  assert.equal([empty.code, empty.text], [1, 'orch import: the server has no definitions'])
})

const wrong: readonly [args: readonly string[], code: number, message: RegExp][] = [
  [[], 2, /name a file or a URL, - for standard input, or a server by --context/],
  [['--kubeconfig', 'none.yaml', '--schemas', 'a'], 1, /none.yaml/],
  [[manifest], 2, /--schemas is needed/],
  [['--schema', 'a', manifest], 2, /Unknown option '--schema'/],
  [['none.yaml', '--schemas', 'a'], 1, /none.yaml: no such file/],
  [[packageRoot, '--schemas', 'a'], 1, /is a folder; name the files in it/],
  [[join(packageRoot, 'package.json'), '--schemas', 'a'], 1, /found something without a kind/],
]

for (const [args, code, message] of wrong) {
  test(`${args.map((arg) => arg.replace(packageRoot, '')).join(' ') || 'no argument'}: ${message.source}`, async () => {
    const outcome = await run(...args)
    assert.is(outcome.code, code)
    assert.match(outcome.text, message)
  })
}

test.run()
