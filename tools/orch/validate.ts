/** `orch validate`: everything that is wrong with manifests, as a server would find it. */
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'
import type { Terminal } from '../../daemons/run.ts'
import { packageVersion } from '../../daemons/version.ts'
import { didYouMean } from '../../runtime/kernel/values/spelling.ts'
import {
  type Finding,
  type Format,
  fingerprints,
  formats,
  isRelease,
  openValidator,
  type PlatformSource,
  type Run,
  type Source,
  type ValidatorOptions,
} from '../../runtime/validate/validate.ts'
import { readCommandLine } from './command-line.ts'
import { loadScheme } from './scheme.ts'
import { type FoundFile, findFiles } from './validate/files.ts'

const help = `Says everything that is wrong with manifests, as a server would find it: types, unknown and duplicate fields, formats, rules, what kinds
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
      --fail-on SEVERITY     error, warning or never: the least that makes the exit code 1 (default error)
  -h, --help                 show this help
  -o, --output FORMAT[=FILE] ${Object.keys(formats).join(', ')}; several print several (default text)
      --platform FILE        a file of platform names, whose kinds count in place of those of orch and of the public ecosystem
      --release RELEASE      the release whose versions count, such as 1.32 (default: that of the schemas)
      --rules                list the rules
      --schemas FOLDER       schema files whose kinds are known, too; may be given several times
      --write-baseline FILE  write what is found into FILE, for --baseline

A comment suppresses a finding of its line, or of the line below it: # orch-ignore RULE[, RULE] [until YYYY-MM-DD]: REASON
Exit codes: 0 nothing is wrong, 1 something is, 2 the command line is wrong or a path leads nowhere.`

const flags = {
  baseline: { type: 'string' },
  'fail-on': { type: 'string', default: 'error' },
  help: { type: 'boolean', short: 'h', default: false },
  output: { type: 'string', short: 'o', multiple: true, default: [] as string[] },
  platform: { type: 'string', default: '' },
  release: { type: 'string' },
  rules: { type: 'boolean', default: false },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
  'write-baseline': { type: 'string' },
} as const

/** A place that a report goes to. */
interface Output {
  readonly format: Format
  readonly file: string | undefined
}

/** Runs the command. */
export async function runValidate(terminal: Terminal): Promise<number> {
  const line = readCommandLine({
    args: [...terminal.args],
    options: flags,
    allowPositionals: true,
  })
  if (typeof line === 'string') return misuse(terminal, line)
  const { values, positionals: paths } = line
  if (values.help) return say(terminal, help)
  if (values.rules) return listRules(terminal)
  if (paths.length === 0) return misuse(terminal, 'name a file, a folder, or - for standard input')
  const outputs = values.output.map(outputOf)
  const wrong = outputs.find((one): one is string => typeof one === 'string')
  if (wrong !== undefined) return misuse(terminal, wrong)
  if (!['error', 'warning', 'never'].includes(values['fail-on'])) {
    return misuse(terminal, `--fail-on ${values['fail-on']}: one of error, warning, never`)
  }
  if (values.release !== undefined && !isRelease(values.release)) {
    return misuse(terminal, `--release ${values.release}: write a release such as 1.32`)
  }
  const { files, problems, charts } = await findFiles(paths)
  for (const problem of problems) terminal.printError(`orch validate: ${problem}`)
  for (const chart of charts) {
    terminal.printError(
      `note: the templates of ${chart} are no documents yet: helm template ${chart} | orch validate -`,
    )
  }
  if (problems.length > 0) return 2
  const known = values.baseline === undefined ? [] : await readBaseline(values.baseline)
  if (typeof known === 'string') return misuse(terminal, known)
  const complain = (text: string) => terminal.printError(text)
  const checked = await checkFiles(files, {
    platforms: platformsOf(values.platform, values.schemas, complain),
    ...(values.release !== undefined && { release: values.release }),
  })
  const file = values['write-baseline']
  if (file !== undefined) await writeFile(file, baselineOf(checked.findings))
  const run = { ...withoutKnown(checked, known), version: packageVersion() }
  await printRun(terminal, run, outputs as readonly Output[])
  return failsOn(run.findings, values['fail-on']) ? 1 : 0
}

/** Both platforms, unless one is named; the public ecosystem's documents are told by their keys. */
export function platformsOf(
  platform: string,
  schemas: readonly string[],
  complain: (line: string) => void,
): readonly PlatformSource[] {
  const load = (file: string) => async () => {
    const scheme = await loadScheme({ platform: file, schemas }, complain)
    if (scheme === undefined) throw new Error('the schema files are wrong')
    return scheme
  }
  if (platform !== '') return [{ marks: [], load: load(resolve(platform)) }]
  const names = resolve(packageRoot, 'schemas/platform/kubernetes.yaml')
  return [
    { marks: ['orch.io'], load: load('') },
    { marks: ['k8s.io', 'kubernetes.io'], load: load(names) },
  ]
}

/** What was checked. */
type Checked = Pick<Run, 'findings' | 'files' | 'objects' | 'suppressed'> & {
  readonly line: Run['line']
}

/** Each file by itself; only lines that findings are about are kept. */
async function checkFiles(
  files: readonly FoundFile[],
  { platforms, ...options }: Pick<ValidatorOptions, 'platforms' | 'release'>,
): Promise<Checked> {
  const today = new Date().toISOString().slice(0, 10)
  const sources = new Sources()
  const first = await lookThrough(files, sources, platforms)
  const validator = openValidator({ ...options, platforms: first.platforms, today })
  const lines = new Map<string, string>()
  const sum = { objects: 0, suppressed: 0 }
  const findings: Finding[] = []
  try {
    for (const file of first.defining) await validator.learn(sources.get(file))
    for (const file of files) {
      const source = sources.take(file)
      const checked = await validator.check(source)
      findings.push(...checked.findings)
      sum.objects += checked.objects
      sum.suppressed += checked.suppressed
      if (checked.findings.length > 0) keepLines(lines, source, checked.findings)
    }
  } finally {
    await validator.close()
  }
  const line = (file: string, number: number) => lines.get(`${file}:${number}`)
  return { files: files.map(({ name }) => shownName(name)), findings, ...sum, line }
}

/** Which files define kinds, and the platforms with that one first whose marks a file has: what has no marks is taken to be of it. */
async function lookThrough(
  files: readonly FoundFile[],
  sources: Sources,
  platforms: readonly PlatformSource[],
) {
  const defining: FoundFile[] = []
  let own: PlatformSource | undefined
  for (const file of files) {
    const text = Buffer.from((await sources.read(file)).text)
    if (text.includes('CustomResourceDefinition')) defining.push(file)
    own ??= platforms.find(({ marks }) => marks.some((mark) => text.includes(mark)))
  }
  const ordered = own === undefined ? platforms : [own, ...platforms.filter((one) => one !== own)]
  return { defining, platforms: ordered }
}

/** How many bytes of files are kept between the two times that they are looked at; others are read again. */
const keptBytes = 16 * 1024 * 1024

/** Files, which are looked at more than once. */
class Sources {
  readonly #kept = new Map<string, Source>()
  #bytes = 0

  /** Looks at a file for the first time. */
  async read(file: FoundFile): Promise<Source> {
    const source = file.name === '-' ? await standardInput() : fileAt(file)
    const { length } = source.text
    if (file.name !== '-' && this.#bytes + length > keptBytes) return source
    this.#kept.set(file.name, source)
    this.#bytes += length
    return source
  }

  get(file: FoundFile): Source {
    return this.#kept.get(file.name) ?? fileAt(file)
  }

  /** Looks at a file for the last time. */
  take(file: FoundFile): Source {
    const source = this.get(file)
    this.#kept.delete(file.name)
    return source
  }
}

/** Read at once: a thousand small files take a quarter of the time that promises of them take. */
function fileAt({ name, named }: FoundFile): Source {
  return { name, text: readFileSync(name), mayBeOther: !named }
}

async function standardInput(): Promise<Source> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return { name: shownName('-'), text: Buffer.concat(chunks) }
}

function shownName(name: string): string {
  return name === '-' ? '<stdin>' : name
}

function keepLines(lines: Map<string, string>, source: Source, findings: readonly Finding[]) {
  const split = Buffer.from(source.text)
    .toString()
    .replace(/^\uFEFF/, '')
    .split('\n')
  for (const { file, at } of findings) {
    const line = at && split[at.line - 1]
    if (at !== undefined && line !== undefined) lines.set(`${file}:${at.line}`, line)
  }
}

function outputOf(text: string): Output | string {
  const [format = '', ...rest] = text.split('=')
  const file = rest.length === 0 ? undefined : rest.join('=')
  const names = Object.keys(formats)
  if (!names.includes(format)) {
    return `--output ${format}: one of ${names.join(', ')}${didYouMean(format, names)}`
  }
  return { format: format as Format, file }
}

/** Reports without a file go to standard output, in the order in which they were asked for. */
async function printRun(
  { print, environment }: Terminal,
  run: Omit<Run, 'colour'>,
  outputs: readonly Output[],
): Promise<void> {
  const wanted: readonly Output[] =
    outputs.length === 0 ? [{ format: 'text', file: undefined }] : outputs
  for (const { format, file } of wanted) {
    const colour = file === undefined && process.stdout.isTTY === true && !environment.NO_COLOR
    const text = formats[format]({ ...run, colour })
    if (file !== undefined) await writeFile(file, `${text}\n`)
    else if (text !== '') print(text)
  }
}

function failsOn(findings: readonly Finding[], least: string): boolean {
  if (least === 'never') return false
  return findings.some(
    ({ severity }) => severity === 'error' || (least === 'warning' && severity === 'warning'),
  )
}

/** Findings by what they are known by in another run, with words for who reviews the file. */
function baselineOf(findings: readonly Finding[]): string {
  const known = fingerprints(findings)
  const rows = findings.map(({ rule, file, message }, index) => ({
    fingerprint: known[index],
    rule,
    file,
    message,
  }))
  return `${JSON.stringify({ version: 1, findings: rows }, null, 2)}\n`
}

/** The fingerprints of a baseline, or why it is none: a baseline that cannot be read is never an empty one. */
async function readBaseline(file: string): Promise<readonly string[] | string> {
  try {
    const { version, findings } = JSON.parse(await readFile(file, 'utf8'))
    if (version !== 1 || !Array.isArray(findings)) return `--baseline ${file}: it is no baseline`
    return findings.map(({ fingerprint }) => String(fingerprint))
  } catch (error) {
    return `--baseline ${file}: ${(error as Error).message}`
  }
}

function withoutKnown(checked: Checked, baseline: readonly string[]) {
  const names = new Set(baseline)
  const prints = fingerprints(checked.findings)
  const findings = checked.findings.filter((_, index) => !names.has(prints[index] as string))
  return { ...checked, findings, known: checked.findings.length - findings.length }
}

async function listRules(terminal: Terminal): Promise<number> {
  const { rules } = await import('../../runtime/validate/validate.ts')
  for (const [id, { severity, about, remedy }] of Object.entries(rules)) {
    terminal.print(`${id} (${severity})\n  ${about}\n  ${remedy}`)
  }
  return 0
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
