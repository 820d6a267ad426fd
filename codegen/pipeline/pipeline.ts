/**
 * From the texts of schema files to the texts of a tree, with everything that needs: a check that finds nothing changed
 * never loads this file.
 */

import type { GeneratorCache } from '../cache/cache.ts'
import { emitIncrementally, type OutputFile, type ReadPresent } from '../cache/incremental.ts'
import { withoutDefinitions } from '../emit/definitions/definitions.ts'
import { modelOf } from '../emit/model/create-model.ts'
import { withHeader } from '../print/header.ts'
import { digestsOf } from '../print/manifest.ts'
import type { Printer } from '../print/printer.ts'
import { type OutputLayout, specifiersOf } from '../print/specifiers.ts'
import { moduleOf } from '../schema/files/layout.ts'
import type { Sources } from '../schema/files/sources.ts'
import { type Finding, printFindings } from '../schema/finding.ts'
import { readApi } from '../schema/read.ts'

export { printFindings }

/** What one run of the pipeline works with. */
export interface PipelineInput {
  readonly sources: Sources
  readonly layout: OutputLayout
  /** Where modules of orch's own types are imported from: `orch/generated`. */
  readonly external: string
  readonly cache: GeneratorCache
  readonly printer: Printer
  /** The text of a file of the output as it is now. */
  readonly present: ReadPresent
}

/** The files of a tree by path with their digests; only findings if there are any. */
export interface PipelineResult {
  readonly files: ReadonlyMap<string, string>
  readonly digests: Readonly<Record<string, string>>
  readonly findings: readonly Finding[]
  /** What a user may not expect of the files; nothing is wrong with the schemas. */
  readonly notes: readonly Finding[]
  /** Saves what the next run may use: to be called when the files are written. */
  readonly save: () => Promise<void>
}

/** The files of a tree, or what is wrong with its schemas. */
export async function run({
  sources,
  layout,
  external,
  cache: memory,
  ...rest
}: PipelineInput): Promise<PipelineResult> {
  const specifierOf = ({ file }: { readonly file: string }) => `${external}/${moduleOf(file)}`
  const {
    api,
    files: parts = new Map(),
    findings,
  } = readApi(sources, specifierOf, memory.documents)
  if (api === undefined) {
    return { files: new Map(), digests: {}, findings, notes: [], save: async () => {} }
  }
  // The platform's own tree lists its groups.
  const notes = sources.has('groups.yaml') ? [] : withoutDefinitions(api)
  const { printer, present } = rest
  const making = emitIncrementally(modelOf(api), specifiersOf(layout), memory, present)
  const files = await printed(making.files, printer)
  const digests = digestsOf(files, (path) => digestOf(making.files.get(path)))
  return { files, digests, findings, notes, save: () => memory.save(making.record(digests), parts) }
}

/** The digest of a file that is reused as it is. */
function digestOf(file: OutputFile | undefined): string | undefined {
  return file !== undefined && 'digest' in file ? file.digest : undefined
}

function textOf(file: OutputFile): string {
  if ('text' in file) return file.text
  return file.artefact.is === 'text' ? withHeader(file.artefact, file.artefact.text) : ''
}

/** The texts of all files in order of paths; modules are printed together. */
async function printed(
  files: ReadonlyMap<string, OutputFile>,
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
