/** `orch build`: manifests of configuration modules. */
import { readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { Terminal } from '../../daemons/run.ts'
import { packageVersion } from '../../daemons/version.ts'
import type { Finding } from '../../runtime/validate/validate.ts'
import { evaluateModule, type Limits } from './build/evaluate.ts'
import type { BuiltModule, EvaluatedFile } from './build/module-manifests.ts'
import { compare, filesOf, joined, write } from './build/output-files.ts'
import { readCommandLine } from './command-line.ts'
import { kindsProblem } from './given-paths.ts'

const help = `Makes manifests of configuration modules: TypeScript that exports objects. A module is evaluated without files, network, time, randomness
or environment, so that it gives the same manifests everywhere; they are validated as orch validate does, ordered, and printed as YAML.

Usage:
  orch build MODULE... [flags]

  orch build deploy/production.config.ts
  orch build deploy/*.config.ts --out manifests
  orch build deploy/*.config.ts --out manifests --check

Flags:
      --check                compare with the files of --out, and write nothing
  -h, --help                 show this help
      --out PATH             a file, or a folder in which NAME.config.ts becomes NAME.yaml (default: standard output)
      --platform FILE        a file of platform names, whose kinds count in place of those of orch and of the public ecosystem
      --root FOLDER          what modules may import stands in it (default: the working directory)
      --schemas FOLDER       schema files whose kinds are known, too; may be given several times
      --timeout SECONDS      a module that runs longer is ended (default 10)

Exit codes: 0 built, 1 something is wrong, or --check found a difference, 2 the command line is wrong.`

const flags = {
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  out: { type: 'string' },
  platform: { type: 'string', default: '' },
  root: { type: 'string', default: '.' },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
  timeout: { type: 'string', default: '10' },
} as const

/** Runs the command. */
export async function runBuild(terminal: Terminal): Promise<number> {
  const line = readCommandLine({
    args: [...terminal.args],
    options: flags,
    allowPositionals: true,
  })
  if (typeof line === 'string') return misuse(terminal, line)
  const { values, positionals: modules } = line
  if (values.help) {
    terminal.print(help)
    return 0
  }
  if (modules.length === 0) return misuse(terminal, 'name a module, such as production.config.ts')
  if (values.check && values.out === undefined) {
    return misuse(terminal, '--check compares with files: say which with --out')
  }
  const timeout = Number(values.timeout) * 1000
  if (!(timeout >= 100 && timeout <= 600_000)) {
    return misuse(terminal, `--timeout ${values.timeout}: has to be 0.1 to 600 seconds`)
  }
  const wrong = kindsProblem(values)
  if (wrong !== undefined) return misuse(terminal, wrong)
  for (const module of modules) {
    const info = await stat(module).catch(() => undefined)
    if (info?.isFile() !== true) return misuse(terminal, `${module}: there is no such file`)
  }
  const evaluated = evaluateAll(modules, { root: values.root, timeout })
  const { buildModules } = await import('./build/module-manifests.ts')
  const complain = (text: string) => terminal.printError(text)
  const built = await buildModules(evaluated, { ...values, complain })
  for (const text of built.flatMap(({ lines }) => lines)) terminal.printError(text)
  const findings = built.flatMap((one) => one.findings)
  if (findings.length > 0) await report(terminal, findings, modules, built)
  if (findings.some(({ severity }) => severity === 'error')) return 1
  const { out } = values
  const texts = built.map(({ text }) => text)
  if (out === undefined) {
    terminal.print(joined(texts).trimEnd())
    return 0
  }
  const files = await filesOf(out, modules, texts)
  if (files === undefined) return misuse(terminal, `${out}: two modules become one file`)
  return values.check ? compare(terminal, files) : write(files)
}

/** Begins with the modules before the code is loaded that judges what they give: each is a process, so only some at once. */
function evaluateAll(files: readonly string[], limits: Limits): readonly EvaluatedFile[] {
  const atOnce = Math.max(2, availableParallelism())
  const all: EvaluatedFile[] = []
  for (const file of files) {
    const before = all.at(all.length - atOnce)
    const evaluated =
      all.length < atOnce || before === undefined
        ? evaluateModule(file, limits)
        : before.evaluated.catch(() => {}).then(() => evaluateModule(file, limits))
    // A failure is told once the caller waits for it.
    evaluated.catch(() => {})
    all.push({ file, evaluated })
  }
  return all
}

async function report(
  terminal: Terminal,
  findings: readonly Finding[],
  files: readonly string[],
  built: readonly BuiltModule[],
): Promise<void> {
  const texts = new Map<string, readonly string[]>()
  for (const { file } of findings) {
    if (texts.has(file)) continue
    texts.set(file, (await readFile(file, 'utf8').catch(() => '')).split('\n'))
  }
  const { formats } = await import('../../runtime/validate/validate.ts')
  const text = formats.text({
    findings,
    files,
    objects: built.reduce((sum, { objects }) => sum + objects, 0),
    suppressed: 0,
    known: 0,
    version: packageVersion(),
    line: (file, number) => texts.get(file)?.[number - 1],
    colour: process.stderr.isTTY === true && !terminal.environment.NO_COLOR,
  })
  terminal.printError(text)
}

/** 2: the command line is wrong. */
function misuse({ printError }: Terminal, problem: string): number {
  printError(`orch build: ${problem}\nrun orch build --help to see how it is used`)
  return 2
}
