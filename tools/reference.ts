/**
 * Writes the reference of schema files: a page for people and a JSON Schema for editors, both of what the generator reads
 * (`codegen/schema/keys/`, `schemas/markers.yaml`). With `--check` nothing is written: a reference that says something else fails.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printReference } from './reference/page.ts'
import { printSchema } from './reference/schema.ts'
import { readTables } from './reference/tables.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const tables = readTables(readFileSync(join(root, 'schemas/markers.yaml'), 'utf8'))
const files = {
  'docs/reference/schema-files.md': printReference(tables),
  'schemas/schema-file.schema.json': printSchema(tables),
}

for (const [path, text] of Object.entries(files)) {
  const file = join(root, path)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is not what the generator reads`)
    process.exitCode = 1
  }
}
