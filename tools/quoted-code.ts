/**
 * Copies code of the examples into the documents, so that what they show is what is compiled and tested.
 *
 * A fenced block that follows a line `<!-- from FILE -->` holds that file, after `<!-- from FILE: name -->` the exported declaration
 * of that name with its comment. With `--check` nothing is written: a document that shows something else fails, and so does
 * a block of TypeScript in a page of docs/guide that is quoted from nowhere.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesIn } from './check/sources.ts'

/** What is quoted: the comment that names it, and the block of code behind. */
const quoted = /(<!-- from ([\w./-]+)(?:: (\w+))? -->\n\n```\w+\n)[\s\S]*?(```\n)/g
/** A block of TypeScript and the line that stands two lines above it. */
const typescript = /^(.*)\n\n```ts\n/gm

/**
 * The document with everything that it quotes as it is now.
 *
 * @throws Error if a file has no exported declaration of the name that is quoted.
 */
export function withQuotes(document: string, read: (file: string) => string): string {
  return document.replace(quoted, (_, open, file, name, close) => {
    const code = name === undefined ? read(file) : declaration(file, read(file), name)
    return `${open}${code.trimEnd()}\n${close}`
  })
}

/** The first words of each block of TypeScript that is quoted from nowhere, as the line above it shows them. */
export function unquotedBlocks(document: string): readonly string[] {
  return [...document.matchAll(typescript)]
    .map(([, above = '']) => above)
    .filter((above) => !above.startsWith('<!-- from '))
}

/** An exported declaration: from its comment to the next line that begins at the margin, and what closes it there. */
function declaration(file: string, text: string, name: string): string {
  const lines = text.split('\n')
  const exported = new RegExp(
    `^export (?:async )?(?:const|function|interface|type|class) ${name}\\b`,
  )
  const at = lines.findIndex((line) => exported.test(line))
  if (at < 0) throw new Error(`${file} exports no declaration ${name}`)
  let start = at
  while (/^(?:\/\*\*| \*|\/\/)/.test(lines[start - 1] ?? '')) start--
  let end = at + 1
  while (
    /^[ })\]]/.test(lines[end] ?? '') ||
    (lines[end] === '' && /^[ ]/.test(lines[end + 1] ?? ''))
  )
    end++
  return lines.slice(start, end).join('\n')
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const wanted =
  'stands code of no example; quote one: <!-- from examples/FILE.ts: NAME --> above the block'

/** What is wrong with a document; where it may be written, what it quotes is brought up to date first. */
function checkDocument(path: string, write: boolean): readonly string[] {
  const before = readFileSync(join(root, path), 'utf8')
  const after = withQuotes(before, (file) => readFileSync(join(root, file), 'utf8'))
  if (write) writeFileSync(join(root, path), after)
  const unquoted = path === 'README.md' ? [] : unquotedBlocks(after)
  return [
    ...(write || before === after ? [] : [`${path} does not show its examples as they are`]),
    ...unquoted.map((above) => `${path}: after "${above}" ${wanted}`),
  ]
}

if (process.argv[1]?.endsWith('quoted-code.js')) {
  const pages = filesIn(root, ['docs/guide']).filter((path) => path.endsWith('.md'))
  const write = !process.argv.includes('--check')
  const problems = ['README.md', ...pages].flatMap((path) => checkDocument(path, write))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
