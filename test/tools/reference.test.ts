// The reference of schema files: the JSON Schema accepts what the generator accepts, and every example is a right one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { packageRoot } from '../../codegen/main.ts'
import { yamlFiles } from '../../codegen/schema/files/sources.ts'
import { printReference } from '../../tools/reference/page.ts'
import { printSchema } from '../../tools/reference/schema.ts'
import { readTables } from '../../tools/reference/tables.ts'

const test = suite('tools/reference')

const tables = readTables(readFileSync(join(packageRoot, 'schemas/markers.yaml'), 'utf8'))
const schema = JSON.parse(printSchema(tables))
const ajv = new Ajv({ allErrors: true, strict: false })
const isSchemaFile = ajv.compile(schema)

for (const folder of ['schemas/api', 'examples/operator/schemas', 'templates/operator/schemas']) {
  test(`every schema file of ${folder} is one by the JSON Schema for editors`, async () => {
    const paths = await yamlFiles(join(packageRoot, folder))
    assert.ok(paths.length > 0)
    for (const path of paths) {
      const file = parse(readFileSync(join(packageRoot, folder, path), 'utf8'))
      assert.ok(isSchemaFile(file), `${path}: ${ajv.errorsText(isSchemaFile.errors)}`)
    }
  })
}

test('every key has an example, and it fits', () => {
  for (const { title, shapes } of tables) {
    const table = schema.definitions[title.replace(/^A /, '').replaceAll(' ', '-')]
    const alternatives: readonly Alternative[] = table.anyOf ?? [table]
    shapes.forEach((shape, index) => {
      for (const [name, { example }] of Object.entries(shape)) {
        const value = parse(`${JSON.stringify(name)}: ${example}`)
        const fits = ajv.compile({
          ...alternatives[index]?.properties[name],
          definitions: schema.definitions,
        })
        const problem = `${title}: ${name}: ${example}: ${ajv.errorsText(fits.errors)}`
        assert.ok(fits(value[name]), problem)
      }
    })
  }
})

const wrong: readonly (readonly [string, string])[] = [
  ['a key of definitions elsewhere', '{ plural: sites, additionalPrinterColumns: [] }'],
  ['a word that is none of the allowed', '{ plural: sites, scope: namespaced }'],
  ['a column without a cell', '{ plural: sites, columns: [{ name: A, type: string }] }'],
  ['a step of no name', '{ plural: sites, conversion: { from: a/v1, steps: [{ to: spec.a }] } }'],
]

for (const [what, block] of wrong) {
  test(`the JSON Schema refuses ${what}`, () => {
    const file = `{ group: a, version: v1, definitions: { Site: { x-orch-kind: ${block} } } }`
    assert.not.ok(isSchemaFile(parse(file)))
  })
}

test('the page names every key, and every table that it refers to', () => {
  const page = printReference(tables)
  for (const { title, shapes } of tables) {
    assert.match(page, `\n## ${title}\n`)
    for (const name of shapes.flatMap(Object.keys)) assert.match(page, `\`${name}\``)
  }
  for (const [, anchor] of page.matchAll(/\(#([a-z-]+)\)/g)) {
    assert.match(page.toLowerCase().replaceAll(' ', '-'), `\n##-${anchor}\n`)
  }
})

interface Alternative {
  readonly properties: Readonly<Record<string, object>>
}

test.run()
