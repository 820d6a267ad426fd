/**
 * Prints how many promises of `docs/spec/` a test names, a line for each section. With sections as arguments (`A4 X-`), or
 * with `--all`, it prints the promises that no test names, planned ones among them.
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCiting, readSpecification } from './check/sources.ts'
import { readEntries, sectionOf, testedTable, untestedEntries } from './check/specification.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const entries = readEntries(readSpecification(root))
const sources = readCiting(root)
const wanted = process.argv.slice(2)

if (wanted.length === 0) console.log(testedTable(entries, sources).join('\n'))
for (const { id, mark, text } of wanted.length === 0 ? [] : untestedEntries(entries, sources)) {
  const note = mark === undefined ? '' : `(${mark}) `
  if (wanted.includes('--all') || wanted.includes(sectionOf(id)))
    console.log(`${id}\t${note}${text}`)
}
