/** `orch migrate`: manifests of versions that go become manifests of those that replace them. */
import { readFile } from 'node:fs/promises'
import type { Terminal } from '../../daemons/run.ts'
import { packageVersion } from '../../daemons/version.ts'
import { followPath } from '../../runtime/serializer/serializer.ts'
import {
  type DocumentMigration,
  type Finding,
  isRelease,
  openValidator,
  type PlatformSource,
  rules,
  type TextEdit,
} from '../../runtime/validate/validate.ts'
import { readCommandLine } from './command-line.ts'
import { edited, patchOf, replaceFile } from './edited-files.ts'
import { migratedConfigurations } from './migrate/configurations.ts'
import { migratedUnits } from './migrate/units.ts'
import { type CheckOptions, checkFiles } from './validate/check-files.ts'
import { type FoundFile, findFiles } from './validate/files.ts'
import { kindsProblem } from './validate/given-paths.ts'
import { outputsOf, printRun } from './validate/outputs.ts'
import { platformsOf } from './validate/platforms.ts'

const help = `Rewrites manifests of API versions that a release deprecates or removed as manifests of the versions that replace them, by the table of
removals of the schemas: fields with new names or places, and what absent fields meant where the default changed. Configuration files of daemons
become files of their newest version. Comments, order and every other byte stay. What the newer version cannot say, or a server would refuse in it,
is told with its place, and that file is left as it is.

A unit file of systemd that starts a daemon loses the flags of its ExecStart= that have a field in the daemon's configuration file, which gets them.

Usage:
  orch migrate PATH... [flags]

  orch migrate deploy/ --release 1.32 --dry-run
  orch migrate deploy/ --release 1.32
  orch migrate orchlet.service --config orchlet.yaml=/etc/orch/orchlet.yaml

Flags:
      --config FILE[=PATH]   the configuration file of the daemons of unit files, and its path where they run (default: the one that they name)
      --dry-run              print the changes and write nothing
  -h, --help                 show this help
  -o, --output FORMAT[=FILE] how what is refused is told, as for orch validate (default text)
      --platform FILE        a file of platform names, as for orch validate
      --release RELEASE      the release whose versions count, such as 1.32 (default: that of the schemas)
      --schemas FOLDER       schema files whose kinds are known, too; may be given several times

Exit codes: 0 done, 1 something is refused, or with --dry-run there is something to change, 2 the command line is wrong or a path leads nowhere.`

const flags = {
  config: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  output: { type: 'string', short: 'o', multiple: true, default: [] as string[] },
  platform: { type: 'string', default: '' },
  release: { type: 'string' },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
} as const

const maxFileSize = 16 * 1024 * 1024

/** Runs the command. */
export async function runMigrate(terminal: Terminal): Promise<number> {
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
  const { release } = values
  if (positionals.length === 0 || positionals.includes('-')) {
    return misuse(terminal, 'name files or folders')
  }
  if (release !== undefined && !isRelease(release)) {
    return misuse(terminal, `--release ${release}: write a release such as 1.32`)
  }
  const outputs = outputsOf(values.output)
  if (typeof outputs === 'string') return misuse(terminal, outputs)
  const wrong = kindsProblem(values.platform, values.schemas)
  if (wrong !== undefined) return misuse(terminal, wrong)
  const units = positionals.filter((one) => one.endsWith('.service'))
  const paths = positionals.filter((one) => !one.endsWith('.service'))
  const { files, problems } = await findFiles(paths)
  for (const problem of problems) printError(`orch migrate: ${problem}`)
  if (problems.length > 0) return 2
  const platforms = platformsOf(values.platform, values.schemas, printError)
  const options = { platforms, maxFileSize, ...(release !== undefined && { release }) }
  const { before, after, refused, checked } = await migrated(files, options)
  const found = [await migratedUnits(units, values.config), await migratedConfigurations(files)]
  for (const more of found) {
    if (typeof more === 'string') return misuse(terminal, more)
    for (const [name, text] of more.before) before.set(name, text)
    for (const [name, text] of more.after) after.set(name, text)
    refused.push(...more.refused)
  }
  for (const [name, text] of after) {
    if (values['dry-run']) print(patchOf(name, before.get(name) ?? '', text))
    else await replaceFile(name, text)
  }
  if (refused.length > 0) {
    const lineOf = (file: string, number: number) => before.get(file)?.split('\n')[number - 1]
    const run = { ...checked, findings: refused, known: 0, version: packageVersion(), line: lineOf }
    const unwritten = await printRun({ ...terminal, print: printError }, run, outputs)
    for (const problem of unwritten) printError(`orch migrate: ${problem}`)
  }
  const amount = after.size === 1 ? '1 file' : `${after.size} files`
  print(values['dry-run'] ? `${amount} would change` : `${amount} changed`)
  return refused.length > 0 || (values['dry-run'] && after.size > 0) ? 1 : 0
}

interface FileMigration {
  readonly name: string
  readonly text: string
  readonly documents: readonly DocumentMigration[]
}

/** The texts that files become, and what keeps others from it. */
async function migrated(files: readonly FoundFile[], options: CheckOptions) {
  const found = await outdatedFiles(files, options)
  const before = new Map(found.map(({ name, text }) => [name, text]))
  const refused = found.flatMap(obstaclesOf)
  const stopped = new Set(refused.map(({ file }) => file))
  const changed = found.filter(({ name }) => !stopped.has(name))
  const after = new Map(
    changed.map(({ name, text, documents }) => [
      name,
      edited(text, [documents.flatMap(({ edits }): readonly TextEdit[] => edits)]),
    ]),
  )
  const texts = (name: string) => after.get(name)
  const checked = await checkFiles(files, { ...options, texts })
  for (const file of changed) {
    const told = checked.findings.filter((one) => one.file === file.name)
    const errors = told
      .filter(({ severity }) => severity === 'error')
      .flatMap((one) => atBefore(one, file))
    if (errors.length > 0) after.delete(file.name)
    refused.push(...errors)
  }
  return { before, after, refused, checked }
}

/** Files with documents of versions that go. */
async function outdatedFiles(
  files: readonly FoundFile[],
  { platforms, ...options }: CheckOptions & { readonly platforms: readonly PlatformSource[] },
): Promise<readonly FileMigration[]> {
  const validator = openValidator({ ...options, platforms, today: '9999-12-31' })
  const found: FileMigration[] = []
  try {
    for (const { name, named } of files) {
      const text = await readFile(name, 'utf8')
      const documents = await validator.migrations({ name, text, mayBeOther: !named })
      if (documents.length > 0) found.push({ name, text, documents })
    }
  } finally {
    await validator.close()
  }
  return found
}

function obstaclesOf({ name, documents }: FileMigration): readonly Finding[] {
  return documents.flatMap(({ object, obstacles, replacement }) =>
    obstacles.map(({ path, at, why }) => ({
      rule: 'migrate.refused' as const,
      severity: rules['migrate.refused'].severity,
      message:
        replacement === undefined
          ? `${path}: no version replaces ${object.apiVersion} ${object.kind}; ${why}`
          : `${path}: ${object.apiVersion} ${object.kind} cannot become ${replacement}: ${why}`,
      file: name,
      at,
      path,
      object,
    })),
  )
}

/** What a server would refuse in the newer version, at the place of the older document that it is about; one that is as it was tells nothing. */
function atBefore(finding: Finding, { documents, name }: FileMigration): readonly Finding[] {
  const { object, path = '', message } = finding
  const own = documents.find(
    (one) =>
      one.object.kind === object?.kind &&
      one.object.name === object.name &&
      one.object.namespace === object.namespace,
  )
  if (own === undefined) return []
  const { node, entry } = followPath(own.root, path)
  const at = entry?.keyAt ?? (path === '' ? own.at : node.at)
  const { apiVersion, kind } = own.object
  return [
    {
      rule: 'migrate.refused',
      severity: rules['migrate.refused'].severity,
      message: `${apiVersion} ${kind} cannot become ${own.replacement}: ${message}`,
      file: name,
      at,
      path,
      object: own.object,
    },
  ]
}

/** 2: the command line is wrong. */
function misuse({ printError }: Terminal, problem: string): number {
  printError(`orch migrate: ${problem}\nrun orch migrate --help to see how it is used`)
  return 2
}
