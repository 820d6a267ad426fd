/** `orch fix`: makes the changes that are safe, and no other byte. */
import { readFile } from 'node:fs/promises'
import type { Terminal } from '../../daemons/run.ts'
import type { Finding } from '../../runtime/validate/validate.ts'
import { readCommandLine } from './command-line.ts'
import { edited, patchOf, replaceFile } from './edited-files.ts'
import { checkFiles } from './validate/check-files.ts'
import { findFiles } from './validate/files.ts'
import { kindsProblem } from './validate/given-paths.ts'
import { platformsOf } from './validate/platforms.ts'

const help = `Makes the changes of orch validate that are safe: names that differ in case only, texts and numbers in the wrong quotes. Comments, order
and every other byte stay as they are. What is left is told by orch validate.

Usage:
  orch fix PATH... [flags]

Flags:
      --dry-run          print the changes and write nothing
  -h, --help             show this help
      --platform FILE    a file of platform names, as for orch validate
      --schemas FOLDER   schema files whose kinds are known, too; may be given several times

Exit codes: 0 done, 1 with --dry-run there is something to change, 2 the command line is wrong or a path leads nowhere.`

const flags = {
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  platform: { type: 'string', default: '' },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
} as const

/** A fix may bring a finding to light that has one, too: so many rounds at most. */
const mostRounds = 4
const maxFileSize = 16 * 1024 * 1024

/** Runs the command. */
export async function runFix(terminal: Terminal): Promise<number> {
  const { print, printError } = terminal
  const line = readCommandLine({
    args: [...terminal.args],
    options: flags,
    allowPositionals: true,
  })
  if (typeof line === 'string') return misuse(terminal, line)
  const { values, positionals } = line
  if (values.help) {
    print(help)
    return 0
  }
  if (positionals.length === 0 || positionals.includes('-')) {
    return misuse(terminal, 'name files or folders')
  }
  const wrong = kindsProblem(values.platform, values.schemas)
  if (wrong !== undefined) return misuse(terminal, wrong)
  const { files, problems } = await findFiles(positionals)
  for (const problem of problems) printError(`orch fix: ${problem}`)
  if (problems.length > 0) return 2
  const platforms = platformsOf(values.platform, values.schemas, printError)
  const before = new Map<string, string>()
  const after = new Map<string, string>()
  for (let round = 0; round < mostRounds; round++) {
    const texts = (name: string) => after.get(name)
    const { findings } = await checkFiles(files, { platforms, maxFileSize, texts })
    const changed = await applyFixes(findings, before, after)
    if (!changed) break
  }
  for (const [name, text] of after) {
    if (values['dry-run']) print(patchOf(name, before.get(name) ?? '', text))
    else await replaceFile(name, text)
  }
  const amount = after.size === 1 ? '1 file' : `${after.size} files`
  print(values['dry-run'] ? `${amount} would change` : `${amount} changed`)
  return values['dry-run'] && after.size > 0 ? 1 : 0
}

/** Adds the texts with the fixes of the findings; whether one changed. */
async function applyFixes(
  findings: readonly Finding[],
  before: Map<string, string>,
  after: Map<string, string>,
): Promise<boolean> {
  const fixable = findings.filter(({ fix }) => fix !== undefined)
  for (const name of new Set(fixable.map(({ file }) => file))) {
    const text = after.get(name) ?? (await readFile(name, 'utf8'))
    if (!before.has(name)) before.set(name, text)
    const own = fixable.filter(({ file }) => file === name)
    after.set(
      name,
      edited(
        text,
        own.map(({ fix }) => fix?.edits ?? []),
      ),
    )
  }
  return fixable.length > 0
}

/** 2: the command line is wrong. */
function misuse({ printError }: Terminal, problem: string): number {
  printError(`orch fix: ${problem}\nrun orch fix --help to see how it is used`)
  return 2
}
