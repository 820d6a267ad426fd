/** `orch why`: what a finding is about, in the three places that say so. */
import type { Terminal } from '../../daemons/run.ts'
import { nearestName } from '../../runtime/kernel/values/spelling.ts'
import { type Finding, isRule, rules } from '../../runtime/validate/validate.ts'
import { readCommandLine } from './command-line.ts'
import { checkFiles } from './validate/check-files.ts'
import { findFiles } from './validate/files.ts'
import { kindsProblem } from './validate/given-paths.ts'
import { platformsOf } from './validate/platforms.ts'
import { SchemaPlaces } from './validate/schema-places.ts'

const help = `Tells why something is a finding: what the rule looks for, what to do, and the three places that it comes from: the file, the line of the
schema, and the generated type.

Usage:
  orch why RULE                           such as field.unknown
  orch why FILE:LINE[:COLUMN] [PATH...]   every finding there; PATHs have definitions, policies and what else the file needs

Flags:
  -h, --help             show this help
      --platform FILE    a file of platform names, as for orch validate
      --schemas FOLDER   schema files whose kinds are known, too; may be given several times

Exit codes: 0 told, 1 there is no finding, 2 the command line is wrong or a path leads nowhere.`

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  platform: { type: 'string', default: '' },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
} as const

const maxFileSize = 16 * 1024 * 1024

/** Runs the command. */
export async function runWhy(terminal: Terminal): Promise<number> {
  const { print, printError } = terminal
  const line = readCommandLine({
    args: [...terminal.args],
    options: flags,
    allowPositionals: true,
  })
  if (typeof line === 'string') return misuse(terminal, line)
  const { values, positionals } = line
  const [subject = '', ...paths] = positionals
  if (values.help) {
    print(help)
    return 0
  }
  if (isRule(subject)) {
    const { severity, about, remedy } = rules[subject]
    print(`${subject} (${severity})\n  ${about}\n  ${remedy}`)
    return 0
  }
  const place = /^(.+?):(\d+)(?::(\d+))?$/.exec(subject)
  if (place === null) {
    const near = nearestName(subject, Object.keys(rules))
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    return misuse(terminal, `${subject || 'name a finding'}: write a rule or FILE:LINE${hint}`)
  }
  const [, file = '', row, column] = place
  const wrong = kindsProblem(values.platform, values.schemas)
  if (wrong !== undefined) return misuse(terminal, wrong)
  const { files, problems } = await findFiles([file, ...paths])
  for (const problem of problems) printError(`orch why: ${problem}`)
  if (problems.length > 0) return 2
  const platforms = platformsOf(values.platform, values.schemas, printError)
  const { findings } = await checkFiles(files, { platforms, maxFileSize })
  const meant = findings.filter(
    ({ file: name, at }) =>
      name === file &&
      at?.line === Number(row) &&
      (column === undefined || at.column === Number(column)),
  )
  if (meant.length === 0) {
    printError(`orch why: there is no finding at ${subject}`)
    return 1
  }
  for (const one of await new SchemaPlaces().placed(meant)) print(told(one))
  return 0
}

function told({ file, at, rule, message, declared, failing, related = [], fix }: Finding): string {
  const { about, remedy } = rules[rule]
  const place = at === undefined ? file : `${file}:${at.line}:${at.column}`
  const schema = declared?.file && `${declared.file}${declared.line ? `:${declared.line}` : ''}`
  return [
    `${message} [${rule}]`,
    `  file       ${place}`,
    ...(schema ? [`  schema     ${schema}`] : []),
    ...(declared?.symbol ? [`  generated  ${declared.symbol}`] : []),
    ...(failing ? [`  rule       ${failing.rule.slice(failing.start, failing.end)}`] : []),
    ...related.map(
      (one) => `  see        ${one.file}${one.at ? `:${one.at.line}` : ''}: ${one.message}`,
    ),
    `  about      ${about}`,
    `  remedy     ${fix === undefined ? remedy : `${fix.title}: orch fix ${file}`}`,
  ].join('\n')
}

/** 2: the command line is wrong. */
function misuse({ printError }: Terminal, problem: string): number {
  printError(`orch why: ${problem}\nrun orch why --help to see how it is used`)
  return 2
}
