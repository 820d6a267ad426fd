/** `orch json-schema`: schemas of all kinds for editors and validators of others. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Terminal } from '../../daemons/run.ts'
import { openValidator } from '../../runtime/validate/validate.ts'
import { readCommandLine } from './command-line.ts'
import { replaceFile } from './edited-files.ts'
import { kindsProblem } from './given-paths.ts'
import { catalogueFiles } from './json-schema/catalogue-files.ts'
import { loadDaemonFacts, OpenCatalogue } from './lsp/catalogue.ts'
import { openPlatformFiles } from './lsp/schema-files.ts'
import { teach } from './validate/check-files.ts'
import { findFiles } from './validate/files.ts'
import { platformsOf } from './validate/platforms.ts'
import { Sources } from './validate/sources.ts'

const help = `Writes a JSON Schema of every kind, of both platforms and of daemons' configuration files, with a catalogue that editors read:
  GROUP/KIND_VERSION.json  the schema of a kind; kinds without a group are in core
  all.json                 the schema of any document, by its apiVersion and kind
  catalogue.json           names and addresses of all, in the form of schema stores
  left-out.md              what the server judges and JSON Schema cannot say: orch validate and orch lsp judge it, too
A document that the server takes is refused by none of them.

Usage:
  orch json-schema --out FOLDER [PATH...] [flags]

Paths name files and folders whose definitions make kinds, too.

Flags:
      --check            write nothing; fail if the folder is not as it would be written
  -h, --help             show this help
      --match GLOB       names of files that hold documents, for catalogue.json; may be given several times (default *.yaml and *.yml)
      --out FOLDER       where they are written; schemas of an earlier run that are not made any more are removed
      --platform FILE    a file of platform names; only its kinds are written
      --schemas FOLDER   schema files whose kinds are written, too; may be given several times
      --url URL          where the folder will be published (default: the folder itself)

Exit codes: 0 done, 1 with --check the folder is out of date, 2 the command line is wrong or a path leads nowhere.`

const flags = {
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  match: { type: 'string', multiple: true, default: ['*.yaml', '*.yml'] as string[] },
  out: { type: 'string' },
  platform: { type: 'string', default: '' },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
  url: { type: 'string' },
} as const

const maxFileSize = 16 * 1024 * 1024

/** Runs the command. */
export async function runJsonSchema(terminal: Terminal): Promise<number> {
  const options = { args: [...terminal.args], options: flags, allowPositionals: true } as const
  const line = readCommandLine(options)
  if (typeof line === 'string') return misuse(terminal, line)
  const { values, positionals } = line
  if (values.help) {
    terminal.print(help)
    return 0
  }
  if (values.out === undefined) return misuse(terminal, '--out is needed to say where files go')
  if (values.url !== undefined && !URL.canParse(values.url)) {
    return misuse(
      terminal,
      `--url ${values.url}: write an address such as https://example.com/schemas`,
    )
  }
  const wrong = kindsProblem(values)
  if (wrong !== undefined) return misuse(terminal, wrong)
  const { files: found, problems } = await findFiles(positionals)
  for (const problem of problems) terminal.printError(`orch json-schema: ${problem}`)
  if (problems.length > 0) return 2
  const catalogue = await openCatalogue(values.platform, values.schemas, found, terminal)
  const folder = resolve(values.out)
  const url = (values.url ?? pathToFileURL(folder).href).replace(/\/+$/, '')
  const files = catalogueFiles(catalogue, { url, match: values.match })
  const before = await writtenIn(folder)
  const changed = [...files].filter(([path, text]) => before.get(path) !== text)
  const gone = [...before.keys()].filter((path) => !files.has(path))
  if (values.check) {
    for (const path of [...changed.map(([one]) => one), ...gone])
      terminal.print(join(values.out, path))
    return changed.length + gone.length === 0 ? 0 : 1
  }
  for (const [path, text] of changed) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await replaceFile(join(folder, path), text)
  }
  for (const path of gone) await rm(join(folder, path))
  terminal.print(
    `${files.size - 3} kinds in ${relative('', folder) || '.'}: ${changed.length} files changed`,
  )
  return 0
}

/** The catalogue of all platforms, and of the definitions in files. */
async function openCatalogue(
  platform: string,
  schemas: readonly string[],
  found: Parameters<typeof teach>[1],
  { printError }: Terminal,
): Promise<OpenCatalogue> {
  const { own, byMarks } = await openPlatformFiles(platform, schemas)
  const platforms = platformsOf(platform, schemas, printError)
  const validator = openValidator({ platforms, today: new Date().toISOString().slice(0, 10) })
  try {
    const sources = new Sources(maxFileSize)
    for (const file of found) await sources.read(file)
    await teach(validator, found, sources)
    const known = await validator.platforms('all')
    const all = known.map((one) => ({ known: one, files: byMarks.get(one.marks.join()) ?? [own] }))
    return new OpenCatalogue(all, await loadDaemonFacts(), own)
  } finally {
    await validator.close()
  }
}

/** What an earlier run wrote, by path; files of others are not looked at. */
async function writtenIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true }).catch(() => [])
  const own = entries.filter((path) =>
    /^(all\.json|catalogue\.json|left-out\.md|[^/]+\/[a-z0-9]+_v[a-z0-9]+\.json)$/.test(path),
  )
  const texts = own.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)
  const isOwn = ([path, text]: readonly [string, string]) =>
    !path.includes('/') || /^\{\n "\$id": /.test(text)
  return new Map((await Promise.all(texts)).filter(isOwn))
}

/** 2: the command line is wrong. */
function misuse({ printError }: Terminal, problem: string): number {
  printError(`orch json-schema: ${problem}\nrun orch json-schema --help to see how it is used`)
  return 2
}
