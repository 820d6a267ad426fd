/** `orch generate`: from schema files to a folder of TypeScript. */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import {
  type GenerateOptions,
  type GenerateResult,
  generate,
  generateAgainst,
  packageRoot,
} from '../../codegen/main.ts'
import { readCommandLine } from './command-line.ts'
import { kindsProblem } from './given-paths.ts'

const help = `Generates types, readers, clients, routes, documents and options from schema files.

Usage:
  orch generate [--schemas DIR --out DIR] [--platform FILE] [--against BASE] [--paths] [--check]

Flags:
      --against BASE     first compare with an earlier state of the schemas, a git ref or a folder, by the rules of
                         deprecation; if one is broken, fail and write nothing. Without --out, only compare
      --check            change nothing; show what would change as a diff, and fail if anything would
      --out DIR          folder to write; "generated" of the checkout for orch's own schemas
      --paths            also write openapi/paths: the TypeScript types of every path and answer of the documents
      --platform FILE    names of the platform (default: orch's own, schemas/platform/orch.yaml)
      --schemas DIR      folder of your own schema files; they refer to orch's as orch:PATH#/definitions/NAME
      --js               end relative imports in .js instead of .ts
  -h, --help             show this help
`

/** The flags of the command, as `parseArgs` takes them. */
const flags = {
  against: { type: 'string' },
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  js: { type: 'boolean', default: false },
  out: { type: 'string' },
  paths: { type: 'boolean', default: false },
  platform: { type: 'string' },
  schemas: { type: 'string' },
} as const

/** Runs the command. 0: done, or nothing to do; 1: findings or drift; 2: the command line is wrong. */
export async function runGenerate(argv: readonly string[]): Promise<number> {
  const line = readCommandLine({ args: [...argv], options: flags })
  if (typeof line === 'string') return fail(2, `orch generate: ${line}\n`)
  const { values } = line
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const out = values.out ?? defaultOut(values)
  if (out === undefined && values.against === undefined)
    return fail(2, 'orch generate: --out is needed to say where the files go\n')
  const wrong = kindsProblem(values)
  if (wrong !== undefined) return fail(2, `orch generate: ${wrong}\n`)

  const started = performance.now()
  const options: GenerateOptions = {
    ...(values.schemas === undefined ? {} : { schemas: values.schemas }),
    ...(values.platform === undefined ? {} : { platform: values.platform }),
    ...(values.js ? { importExtension: '.js' } : {}),
    ...(values.paths ? { pathTypes: true } : {}),
  }
  const against = values.against === undefined ? 0 : await showAgainst(values.against, options)
  if (against !== 0 || out === undefined) return against
  const outcome = await generate({ ...options, out, check: values.check })
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  return values.check ? showCheck(outcome, argv) : showRun(outcome, relative('', out), seconds)
}

/** 0: every rule is kept; 1: one is broken; 2: there is nothing to compare with. */
async function showAgainst(name: string, options: GenerateOptions): Promise<number> {
  const own = join(packageRoot, 'schemas')
  const { schemas = own, platform = join(own, 'platform/orch.yaml') } = options
  const { BaseUnreadableError, readBase } = await import('./base.ts')
  try {
    const base = await readBase(name, { schemas, platform })
    const {
      breakingChanges: breaches,
      report,
      unreadable: broken,
    } = await generateAgainst(options, base)
    if (broken === 'before') {
      return fail(2, `${report}orch generate: --against ${name}: the base cannot be used\n`)
    }
    if (broken === 'after') return fail(1, `${report}the schemas do not load; nothing compared\n`)
    if (breaches.length === 0) return 0
    return fail(1, `${report}${count(breaches.length, 'broken rule')}; nothing written\n`)
  } catch (error) {
    if (!(error instanceof BaseUnreadableError)) throw error
    return fail(2, `orch generate: --against ${name}: ${error.message}\n`)
  }
}

/** Says what a run has written, or what kept it from writing. */
function showRun(
  { report, findings, notGenerated: foreign, changed, notes }: GenerateResult,
  out: string,
  seconds: string,
): number {
  if (findings.length > 0)
    return fail(1, `${report}${count(findings.length, 'finding')}; nothing written\n`)
  if (foreign.length > 0) {
    const files = foreign.map((path) => `  ${join(out, path)}\n`).join('')
    return fail(1, `not overwriting files that were not generated; move them away:\n${files}`)
  }
  process.stderr.write(
    `${notes}generated ${out}: ${count(changed.length, 'file')} changed in ${seconds} s\n`,
  )
  return 0
}

/** Says what a run would have written, and the command that writes it. */
function showCheck(
  { report, findings, changed, diff }: GenerateResult,
  argv: readonly string[],
): number {
  if (findings.length > 0) return fail(1, `${report}${count(findings.length, 'finding')}\n`)
  if (changed.length === 0) return 0
  const repair = ['orch generate', ...argv.filter((each) => each !== '--check')].join(' ')
  process.stdout.write(diff)
  return fail(1, `${count(changed.length, 'generated file')} out of date; run: npx ${repair}\n`)
}

function defaultOut({ schemas }: { readonly schemas?: string }): string | undefined {
  const own = schemas === undefined || resolve(schemas) === join(packageRoot, 'schemas')
  return own && existsSync(join(packageRoot, 'codegen'))
    ? join(packageRoot, 'generated')
    : undefined
}

/** `1 file`, `2 files`. */
function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Prints the message and gives the exit code. */
function fail(code: number, message: string): number {
  process.stderr.write(message)
  return code
}
