/**
 * Copies the example programs into README.md, so that what it shows is what is compiled and tested.
 *
 * A fenced block that follows a line `<!-- from FILE -->` holds that file. With `--check` nothing is written: a README
 * that shows something else fails.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const readme = new URL('README.md', root)
/** A shown file: the comment that names it, and the block of code behind. */
const block = /(<!-- from ([\w./-]+) -->\n\n```\w+\n)[\s\S]*?(```\n)/g

/** The document with every shown file as it is now. */
export function withFiles(document: string, read: (file: string) => string): string {
  return document.replace(block, (_, open, file, close) => {
    return `${open}${read(file).trimEnd()}\n${close}`
  })
}

if (process.argv[1]?.endsWith('readme.js')) {
  const before = readFileSync(readme, 'utf8')
  const after = withFiles(before, (file) => readFileSync(new URL(file, root), 'utf8'))
  if (!process.argv.includes('--check')) writeFileSync(readme, after)
  else if (before !== after) {
    console.error('README.md does not show the example as it is; run: node dist/tools/readme.js')
    process.exitCode = 1
  }
}
