/**
 * Prints what ten million objects need: memory and starts of servers by what they keep, and how requests fare in a simulation. The figures
 * follow from the costs in `tools/scale/measured.ts` and nothing else; `docs/scale.md` shows them (`--write` puts them there).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { scaleTables } from './scale/tables.ts'

const document = fileURLToPath(new URL('../../docs/scale.md', import.meta.url))
const tables = scaleTables()
if (process.argv.includes('--write')) {
  const text = readFileSync(document, 'utf8')
  const marked = /(<!-- figures -->\n)[\s\S]*?(<!-- \/figures -->)/
  writeFileSync(
    document,
    text.replace(marked, (_, open, close) => `${open}\n${tables}\n\n${close}`),
  )
} else console.log(tables)
