/**
 * `orch validate`: everything that is wrong with manifests, as a server would find it. What judges is loaded once it is known which files
 * there are: threads that share them load it at the same time.
 */
import type { Terminal } from '../../daemons/run.ts'
import { readCommandLine } from './command-line.ts'
import { findFiles } from './validate/files.ts'
import { kindsProblem } from './validate/given-paths.ts'
import { CheckThreads, threadsFor } from './validate/threads.ts'

const help = (
  formats: readonly string[],
) => `Says everything that is wrong with manifests, as a server would find it: types, unknown and duplicate fields, formats, rules, what kinds
check across fields, versions that a release deprecates or removed. Definitions among the files make kinds. No server is asked.

Usage:
  orch validate PATH... [flags]

  orch validate deploy/
  orch validate 'environments/*/*.yaml' -o text -o sarif=findings.sarif
  kustomize build overlays/production | orch validate - --release 1.32

A PATH is a file, a folder, a glob, or - for standard input. Documents are YAML or JSON, several in a file if need be. Of a chart the
templates are left out: send what they give, as in helm template CHART | orch validate -.

Flags:
      --baseline FILE        findings that FILE has are known and do not fail
      --changed-since REF    tell only of files that differ from where REF and HEAD part; all files count for what is judged
      --fail-on SEVERITY     error, warning or never: the least that makes the exit code 1 (default error)
  -h, --help                 show this help
      --max-file-size BYTES  a larger file is a finding and is not read (default 16777216)
      --no-cel               no rule in the expression language judges, neither those of kinds and definitions nor policies
  -o, --output FORMAT[=FILE] ${formats.join(', ')}; several print several (default text)
      --platform FILE        a file of platform names, whose kinds count in place of those of orch and of the public ecosystem
      --pod-security LEVEL   the level of namespaces without labels: privileged, baseline or restricted (default privileged)
      --policies PATH        policies, their bindings and params, which judge and are not judged; may be given several times
      --release RELEASE      the release whose versions count, such as 1.32 (default: that of the schemas)
      --rules                list the rules
      --schemas FOLDER       schema files whose kinds are known, too; may be given several times
      --write-baseline FILE  write what is found into FILE, for --baseline

A comment suppresses a finding of its line, or of the line below it: # orch-ignore RULE[, RULE] [until YYYY-MM-DD]: REASON
Exit codes: 0 nothing is wrong, 1 something is, 2 the command line is wrong or a path leads nowhere.`

const flags = {
  baseline: { type: 'string' },
  'changed-since': { type: 'string' },
  complete: { type: 'boolean', default: false },
  'fail-on': { type: 'string', default: 'error' },
  help: { type: 'boolean', short: 'h', default: false },
  'max-file-size': { type: 'string', default: String(16 * 1024 * 1024) },
  'no-cel': { type: 'boolean', default: false },
  output: { type: 'string', short: 'o', multiple: true, default: [] as string[] },
  platform: { type: 'string', default: '' },
  'pod-security': { type: 'string' },
  policies: { type: 'string', multiple: true, default: [] as string[] },
  release: { type: 'string' },
  rules: { type: 'boolean', default: false },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
  'write-baseline': { type: 'string' },
} as const

/** Runs the command. */
export async function runValidate(terminal: Terminal): Promise<number> {
  const line = readCommandLine({
    args: [...terminal.args],
    options: flags,
    allowPositionals: true,
  })
  if (typeof line === 'string') return misuse(terminal, line)
  const { values, positionals: paths } = line
  if (values.help) return say(terminal, help(await formatNames()))
  if (values.rules) return listRules(terminal)
  if (paths.length === 0) return misuse(terminal, 'name a file, a folder, or - for standard input')
  const wrong = kindsProblem(values.platform, values.schemas)
  if (wrong !== undefined) return misuse(terminal, wrong)
  const { files, problems, charts, kustomizations } = await findFiles(paths)
  const given = await findFiles(values.policies)
  const missing = [...problems, ...given.problems]
  for (const problem of missing) terminal.printError(`orch validate: ${problem}`)
  for (const chart of charts) {
    terminal.printError(
      `note: the templates of ${chart} are no documents yet: helm template ${chart} | orch validate -`,
    )
  }
  for (const folder of kustomizations) {
    terminal.printError(
      `note: patches and other parts of ${folder} are no objects: kubectl kustomize ${folder} | orch validate -`,
    )
  }
  if (missing.length > 0) return 2
  const threads = new CheckThreads(threadsFor([...given.files, ...files]))
  try {
    const { validateFiles } = await import('./validate/validate-files.ts')
    const found = { files, given: given.files }
    const result = await validateFiles(terminal, values, found, threads)
    return typeof result === 'string' ? misuse(terminal, result) : result
  } finally {
    await threads.close()
  }
}

async function listRules(terminal: Terminal): Promise<number> {
  const { rules } = await import('../../runtime/validate/validate.ts')
  for (const [id, { severity, about, remedy }] of Object.entries(rules)) {
    terminal.print(`${id} (${severity})\n  ${about}\n  ${remedy}`)
  }
  return 0
}

async function formatNames(): Promise<readonly string[]> {
  const { formats } = await import('../../runtime/validate/validate.ts')
  return Object.keys(formats)
}

function say({ print }: Terminal, text: string): number {
  print(text)
  return 0
}

/** 2: the command line is wrong. */
function misuse({ printError }: Terminal, problem: string): number {
  printError(`orch validate: ${problem}\nrun orch validate --help to see how it is used`)
  return 2
}
