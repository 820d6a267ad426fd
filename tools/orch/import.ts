/** `orch import`: from definitions of other people's kinds to schema files, and from them to typed clients. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Untyped } from '../../codegen/import/structural-schema.ts'
import type { Terminal } from '../../daemons/run.ts'
import { isStatus } from '../../runtime/kernel/errors/status-error.ts'
import { readCommandLine } from './command-line.ts'

const help = `Makes schema files of CustomResourceDefinitions and of the kinds in OpenAPI v3 documents: typed clients of other
people's kinds in one command.

Usage:
  orch import FILE|URL|- ... --schemas DIR [--out DIR]
  orch import --context NAME|--kubeconfig FILE --schemas DIR [--out DIR]
  orch import FILE|URL|- --types FILE

  orch import cert-manager.yaml --schemas schemas --out generated
  orch import --context staging --schemas schemas --group cert-manager.io
  orch import settings.schema.json --types src/settings.ts

Flags:
      --context NAME     read the definitions of the server that this context names
      --kubeconfig FILE  the file of the context, or several as the variable holds them (default: what ORCHCONFIG and
                         KUBECONFIG name, then the home folder); alone, it means its current context
      --group GROUP      only definitions of this group; may be given more than once
      --kind KIND        only definitions of this kind; may be given more than once
      --version NAME     only this version of each definition that has it (default: all that are served)
      --schemas DIR      folder for the schema files: GROUP/VERSION/KIND.yaml
      --force            overwrite schema files that differ
      --out DIR          also generate: the folder for types, readers and clients, as "orch generate" writes it
      --types FILE       of one JSON Schema, which names no kind: bare types, written into this file by the library
                         json-schema-to-typescript, which has to be installed beside orch
      --js               with --out: end relative imports in .js instead of .ts
  -h, --help             show this help

The schema files are yours to edit. What they cannot say is told on standard error; the server that owns the kind checks it.
How versions convert no definition says: what one of them has alone is kept in annotations, in a control plane of yours.
`

const flags = {
  context: { type: 'string' },
  force: { type: 'boolean', default: false },
  group: { type: 'string', multiple: true, default: [] as string[] },
  help: { type: 'boolean', short: 'h', default: false },
  js: { type: 'boolean', default: false },
  kind: { type: 'string', multiple: true, default: [] as string[] },
  kubeconfig: { type: 'string' },
  out: { type: 'string' },
  schemas: { type: 'string' },
  types: { type: 'string' },
  version: { type: 'string' },
} as const

/** How long a server may take to send a file, in milliseconds, and how large the file may be, in bytes. */
const patience = 60_000
const maxBytes = 64 * 1024 * 1024

/** What is wrong with an argument or with what it names. */
class ImportError extends Error {}

/** Runs the command. 0: done; 1: something cannot be imported; 2: the command line is wrong. */
export async function runImport({ args, print, printError }: Terminal): Promise<number> {
  const failed = (code: number, message: string) => {
    printError(`orch import: ${message}`)
    return code
  }
  const line = readCommandLine({ args: [...args], options: flags, allowPositionals: true })
  if (typeof line === 'string') return failed(2, line)
  const { values, positionals } = line
  if (values.help) {
    print(help.trimEnd())
    return 0
  }
  const { schemas, out } = values
  if (positionals.length === 0 && !isServerNamed(values)) {
    return failed(2, 'name a file or a URL, - for standard input, or a server by --context')
  }
  if (values.types !== undefined) {
    const [source, ...others] = positionals
    if (source === undefined || others.length > 0 || schemas !== undefined) {
      return failed(2, '--types takes one JSON Schema, and no --schemas')
    }
    return importTypes(source, values.types, failed)
  }
  if (schemas === undefined) return failed(2, '--schemas is needed to say where the files go')
  try {
    const { files, notes } = await importAll(positionals, values)
    const written = await writeAll(schemas, files, values.force)
    for (const note of notes) printError(note)
    const folder = relative('', schemas) || '.'
    printError(
      `imported ${count(kindsIn(files), 'kind')} into ${folder}: ${count(written, 'file')} written`,
    )
  } catch (error) {
    if (error instanceof ImportError) return failed(1, error.message)
    throw error
  }
  if (out === undefined) return 0
  const { runGenerate } = await import('./generate.ts')
  return runGenerate(['--schemas', schemas, '--out', out, ...(values.js ? ['--js'] : [])])
}

async function importTypes(
  source: string,
  target: string,
  failed: (code: number, message: string) => number,
): Promise<number> {
  const { TypesError, writeTypes } = await import('./import-types.ts')
  try {
    await writeTypes(source, await read(source), target)
    return 0
  } catch (error) {
    if (error instanceof TypesError || error instanceof ImportError) return failed(1, error.message)
    throw error
  }
}

/** Versions of a kind are files of the same name. */
function kindsIn(files: ReadonlyMap<string, string>): number {
  return new Set([...files.keys()].map((path) => path.replace(/\/[^/]+\//, '/'))).size
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** The flags that choose definitions. */
interface Choice {
  readonly context?: string | undefined
  readonly kubeconfig?: string | undefined
  readonly group: readonly string[]
  readonly kind: readonly string[]
  readonly version?: string | undefined
}

const typesHint = '; a JSON Schema names no kind: --types FILE writes its types alone'

/** The schema files of everything that is named. Throws an ImportError with the name of the source. */
async function importAll(sources: readonly string[], values: Choice) {
  const { definitionsIn, importableDefinition, importDefinitions, NotImportableError } =
    await import('../../codegen/import/import.ts')
  const served = isServerNamed(values) ? await definitionsServed(values) : []
  const found = await Promise.all(
    sources.map(async (source) => {
      const content = await read(source)
      try {
        return definitionsIn(content)
      } catch (error) {
        if (!(error instanceof NotImportableError)) throw error
        const hint = /"?\$schema"?:/.test(content) ? typesHint : ''
        throw new ImportError(`${source}: ${error.message}${hint}`)
      }
    }),
  )
  const all = [...found.flat(), ...served.map(importableDefinition)]
  const wanted = all.filter((definition) => isWanted(definition, values))
  if (wanted.length > 0) return importDefinitions(wanted, values.version)
  throw new ImportError(nothingWanted(all))
}

/** So many definitions are named where none is wanted. */
const mostNamed = 20

function nothingWanted(all: readonly { readonly group: string; readonly kind: string }[]): string {
  if (all.length === 0) return 'the server has no definitions'
  const names = all.map(({ group, kind }) => `${kind} of ${group}`)
  const rest = names.length - mostNamed
  const more = rest > 0 ? ` and ${rest} more` : ''
  const shown = names.slice(0, mostNamed).join(', ')
  return `no definition is of that group and kind; there are ${shown}${more}`
}

function isServerNamed({ context, kubeconfig }: Choice): boolean {
  return context !== undefined || kubeconfig !== undefined
}

async function definitionsServed({ context, kubeconfig }: Choice): Promise<readonly Untyped[]> {
  const { definitionsOfServer } = await import('./import-server.ts')
  try {
    const items = await definitionsOfServer({
      ...(kubeconfig !== undefined && { files: kubeconfig }),
      ...(context !== undefined && { context }),
    })
    return items as unknown as readonly Untyped[]
  } catch (error) {
    throw isStatus(error) ? new ImportError(error.message) : error
  }
}

function isWanted(
  { group, kind }: { readonly group: string; readonly kind: string },
  { group: groups, kind: kinds }: Choice,
): boolean {
  return (
    (groups.length === 0 || groups.includes(group)) && (kinds.length === 0 || kinds.includes(kind))
  )
}

async function read(source: string): Promise<string> {
  if (source === '-') return text(process.stdin)
  if (/^https?:\/\//.test(source)) return download(source)
  try {
    return await readFile(source, 'utf8')
  } catch (error) {
    throw new ImportError(`${source}: ${reasonOf(error)}`)
  }
}

async function download(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patience) })
    if (!response.ok)
      throw new ImportError(`${url}: the server answers ${response.status} ${response.statusText}`)
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > maxBytes) throw new ImportError(`${url}: larger than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } catch (error) {
    throw error instanceof ImportError ? error : new ImportError(`${url}: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  const { code, message, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (code === 'ENOENT') return 'no such file'
  if (code === 'EISDIR') return 'is a folder; name the files in it'
  return cause instanceof Error ? cause.message : message
}

/** Writes what is new, and what differs only with `force`; a refusal names every file and writes none. */
async function writeAll(
  folder: string,
  files: ReadonlyMap<string, string>,
  force: boolean,
): Promise<number> {
  const found = await Promise.all(
    [...files].map(async ([path, content]) => {
      const target = join(folder, path)
      const present = existsSync(target) ? await readFile(target, 'utf8') : undefined
      return { target, content, present }
    }),
  )
  const changed = found.filter(({ content, present }) => content !== present)
  const edited = changed.filter(({ present }) => present !== undefined)
  if (edited.length > 0 && !force) {
    const names = edited.map(({ target }) => relative('', target)).join(', ')
    throw new ImportError(`not overwriting files that differ: ${names}; --force does`)
  }
  for (const { target, content } of changed) {
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
  return changed.length
}
