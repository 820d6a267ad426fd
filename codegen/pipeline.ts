/**
 * The heavy half of the generator, with everything it imports: a check that finds nothing changed never loads it.
 */
import { modelOf } from './emit/model.ts'
import type { Memory } from './memory/memory.ts'
import { type File, type Present, remake } from './memory/reuse.ts'
import { headed } from './print/header.ts'
import { digestsOf } from './print/manifest.ts'
import type { Printer } from './print/printer.ts'
import { type Layout, specifiersOf } from './print/specifiers.ts'
import { type Finding, printFindings } from './schema/finding.ts'
import { moduleOf } from './schema/layout.ts'
import { readApi } from './schema/read.ts'
import type { Sources } from './schema/sources.ts'

export { printFindings }

export interface Run {
  readonly sources: Sources
  readonly layout: Layout
  readonly external: string
  readonly memory: Memory
  readonly printer: Printer
  /** The text of a file of the output as it is now. */
  readonly present: Present
}

export interface Tree {
  readonly files: ReadonlyMap<string, string>
  readonly digests: Readonly<Record<string, string>>
  readonly findings: readonly Finding[]
  /** Keeps what the next run may use: to be called when the files are in their place. */
  readonly keep: () => Promise<void>
}

/** The files of a tree, or what is wrong with its schemas. */
export async function run({ sources, layout, external, memory, ...rest }: Run): Promise<Tree> {
  const specifierOf = ({ file }: { readonly file: string }) => `${external}/${moduleOf(file)}`
  const { api, parts = new Map(), findings } = readApi(sources, specifierOf, memory.recall)
  if (api === undefined) return { files: new Map(), digests: {}, findings, keep: async () => {} }
  const { printer, present } = rest
  const making = remake(modelOf(api), specifiersOf(layout), memory, present)
  const files = await printed(making.files, printer)
  const digests = digestsOf(files, (path) => digestOf(making.files.get(path)))
  return { files, digests, findings, keep: () => memory.keep(making.past(digests), parts) }
}

/** The digest of a file that is as it was. */
function digestOf(file: File | undefined): string | undefined {
  return file !== undefined && 'digest' in file ? file.digest : undefined
}

function textOf(file: File): string {
  if ('text' in file) return file.text
  return file.artefact.is === 'text' ? headed(file.artefact, file.artefact.text) : ''
}

/** The texts of a tree, in order of paths. */
async function printed(
  files: ReadonlyMap<string, File>,
  printer: Printer,
): Promise<ReadonlyMap<string, string>> {
  const modules = [...files.values()].flatMap((file) =>
    'artefact' in file && file.artefact.is === 'module' ? file.artefact : [],
  )
  const texts = modules.length === 0 ? [] : await printer.print(modules)
  const laidOut = new Map(modules.map(({ path }, index) => [path, texts[index] as string]))
  const all = [...files].map(([path, file]) => [path, laidOut.get(path) ?? textOf(file)] as const)
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}
