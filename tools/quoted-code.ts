/**
 * Copies code of the examples into the documents, so that what they show is what is compiled and tested.
 *
 * A fenced block that follows a line `<!-- from FILE -->` holds that file, after `<!-- from FILE: name -->` the exported declaration
 * of that name with its comment. With `--check` nothing is written: a document that shows something else fails, and so does
 * a block of TypeScript in a page of docs/guide that is quoted from nowhere. A comment that quotes into no block, and a block
 * of any language with nothing in it, fail always.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesIn } from './check/sources.ts'

/** What is quoted: the comment that names it, and the block of code behind. */
const quoted = /(<!-- from ([\w./-]+)(?:: (\w+))? -->\n\n```\w+\n)[\s\S]*?(```\n)/g
/** A comment that names what is quoted. */
const comment = /^<!-- from .*-->$/

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

/** A block of code: its language, the last line before it that is not empty, and what stands in it. */
interface Block {
  readonly language: string
  readonly above: string
  readonly code: readonly string[]
}

/** The blocks of a document. A block that is not closed ends with the document. */
function blocksOf(document: string): readonly Block[] {
  const blocks: Block[] = []
  let above = ''
  let open: string[] | undefined
  for (const line of document.split('\n')) {
    const [fence, language = ''] = /^ *```(\w*)/.exec(line) ?? []
    if (fence === undefined) {
      if (open !== undefined) open.push(line)
      else if (line !== '') above = line
    } else if (open !== undefined) {
      open = undefined
      above = line
    } else {
      open = []
      blocks.push({ language, above, code: open })
    }
  }
  return blocks
}

/** What stands above each block of TypeScript that is quoted from nowhere. */
export function unquotedBlocks(document: string): readonly string[] {
  return blocksOf(document)
    .filter(({ language, above }) => language === 'ts' && !comment.test(above))
    .map(({ above }) => above)
}

/** What stands above each block that shows nothing. */
export function emptyBlocks(document: string): readonly string[] {
  return blocksOf(document)
    .filter(({ code }) => code.every((line) => line.trim() === ''))
    .map(({ above }) => above)
}

/** The comments that quote into no block: the block has to follow after one empty line, and to say its language. */
export function unusedComments(document: string): readonly string[] {
  const rest = document.replace(quoted, '')
  return rest.split('\n').filter((line) => comment.test(line))
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
    ...emptyBlocks(after).map((above) => `${path}: after "${above}" stands a block of nothing`),
    ...unusedComments(after).map(
      (line) => `${path}: no block follows "${line}" after one empty line`,
    ),
  ]
}

if (process.argv[1]?.endsWith('quoted-code.js')) {
  const pages = filesIn(root, ['docs/guide']).filter((path) => path.endsWith('.md'))
  const write = !process.argv.includes('--check')
  const problems = ['README.md', ...pages].flatMap((path) => checkDocument(path, write))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
