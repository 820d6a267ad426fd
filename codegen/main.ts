/**
 * The code generator. Schema files go in, a tree of generated files comes out:
 *
 *     read sources -> load -> build -> lint -> emit -> print -> write
 *
 * Up to lint it can fail on its input, and then it reports every finding and writes nothing. Its promises:
 *
 * 1. The same input gives the same bytes, whatever the order of keys in the schema files.
 * 2. A check of a current tree compares digests and loads neither YAML parser nor compiler.
 * 3. A file without the header of generated files is never overwritten or removed.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type GeneratorCache,
  noCache,
  noPreviousRun,
  openCache,
  ownDocuments,
} from './cache/cache.ts'
import type { CompareResult } from './compare/compare-sources.ts'
import { importPipeline, type LoadedPipeline, loadPipeline } from './pipeline/bundled-pipeline.ts'
import type { PipelineResult } from './pipeline/pipeline.ts'
import { digest, digestOfCode } from './print/digest.ts'
import {
  applyChanges,
  type Change,
  changesOf,
  foreignFiles,
  readGenerated,
} from './print/folder.ts'
import { digestsOf, type Inputs, isCurrent, manifestName, printManifest } from './print/manifest.ts'
import { quickPrinter, startPrinter } from './print/printer.ts'
import type { OutputLayout } from './print/specifiers.ts'
import {
  ownPrefix,
  platformName,
  type Root,
  readSources,
  type Sources,
} from './schema/files/sources.ts'
import type { Finding } from './schema/finding.ts'

/** What is generated, and how its imports look. Without options: orch's own tree. */
export interface GenerateOptions {
  /** The schema root of a user's own kinds; orch's own schemas without it. */
  readonly schemas?: string
  /** The platform file; orch's own names without it. */
  readonly platform?: string
  /** What relative imports end in; `.ts` without it. */
  readonly importExtension?: OutputLayout['extension']
  /** Where types of orch's own schemas are imported from; `orch/generated` without it. */
  readonly external?: string
  /** Adds `openapi/paths/`: the types of every path and answer of the published documents. */
  readonly pathTypes?: boolean
}

/** A generated tree. `files` holds texts by path, the manifest included; it is empty if there are findings. */
export interface Generated {
  readonly files: ReadonlyMap<string, string>
  readonly findings: readonly Finding[]
  /** The findings with caret frames, for a person. */
  readonly report: string
}

/** What a run changed, or with `check` would change, as paths in the output folder. */
export interface GenerateResult {
  readonly changed: readonly string[]
  readonly findings: readonly Finding[]
  readonly report: string
  /** With `check`: the changes as a unified diff. */
  readonly diff: string
  /** Files that orch did not generate and that generated ones would overwrite: nothing is written because of them. */
  readonly notGenerated: readonly string[]
  /** What a user may not expect of the written files, with caret frames; empty for most schemas. */
  readonly notes: string
}

const here = dirname(fileURLToPath(import.meta.url))

/** The folder with orch's own package.json and schemas, whether this runs from source or built. */
export const packageRoot = findPackageRoot(here)

/** What runs of this checkout save for each other, whatever the project: without an extension. */
const saved = join(packageRoot, 'node_modules/.cache/orch', `generator-${digest(here)}`)

/**
 * Makes the folder `out` be what the schemas say; with `check`, only says what that would change. Nothing is written if
 * there are findings, or a file in the way that orch did not generate.
 */
export async function generate(
  options: GenerateOptions & { readonly out: string; readonly check: boolean },
): Promise<GenerateResult> {
  const nothing: GenerateResult = {
    changed: [],
    findings: [],
    report: '',
    diff: '',
    notGenerated: [],
    notes: '',
  }
  const job = await prepare(options, resolve(options.out) === join(packageRoot, 'generated'))
  if (await isCurrent(options.out, job.inputs)) return nothing
  const present = await readGenerated(options.out)
  const memory = options.check ? noCache : openCache(options.out, job.inputs, `${saved}.schemas`)
  const loading = memory === noCache ? importPipeline() : loadPipeline(`${saved}.cjs`, job.code)
  const made = await make(job, memory, present, loading)
  const { files, findings, report, notes, save: keep } = made
  if (findings.length > 0) return { ...nothing, findings, report }
  const changes = await changesOf(options.out, files, present)
  const changed = changes.map(({ path }) => path)
  if (options.check) return { ...nothing, changed, diff: await diffOf(options.out, changes) }
  const foreign = await foreignFiles(options.out, changes)
  if (foreign.length > 0) return { ...nothing, notGenerated: foreign }
  await applyChanges(options.out, changes)
  await keep()
  return { ...nothing, changed, notes }
}

/** The tree as texts by path, for a place outside orch's own checkout; no file is read but schemas, none is written. */
export async function generateInMemory(options: GenerateOptions): Promise<Generated> {
  const { files, findings, report } = await make(
    await prepare(options, false),
    noCache,
    new Map(),
    importPipeline(),
  )
  return { files, findings, report }
}

/** The definitions of a user's kinds as texts by path in the tree, without the rest of it: nothing is printed or written. */
export async function generateDefinitions(schemas: string): Promise<Generated> {
  const job = await prepare({ schemas }, false)
  const [{ readApi }, { modelOf }, { definitionNames, definitionOf }, { printFindings }] =
    await Promise.all([
      import('./schema/read.ts'),
      import('./emit/model/create-model.ts'),
      import('./emit/definitions/definitions.ts'),
      import('./schema/finding.ts'),
    ])
  const { api, findings } = readApi(job.sources, () => job.external)
  if (api === undefined) {
    const report = printFindings(findings, (file) => job.sources.get(file), nameIn(job))
    return { files: new Map(), findings, report }
  }
  const model = modelOf(api)
  const made = definitionNames(model).map((name) => definitionOf(name, model))
  return { files: new Map(made.map(({ path, text }) => [path, text])), findings, report: '' }
}

/** The schemas that others are compared with: an earlier state of the same folder. */
export interface Base {
  /** Texts by path in the folder. */
  readonly files: ReadonlyMap<string, string>
  /** The platform file as it was; as it is without it. */
  readonly platform?: string
  /** What a person calls a file of it. */
  readonly nameOf: (path: string) => string
}

/** What the schemas break of what a base promised, by the rules of the deprecation policy. Nothing is written. */
export async function generateAgainst(
  options: GenerateOptions,
  base: Base,
): Promise<CompareResult> {
  const job = await prepare(options, false)
  const sources = [...job.sources].filter(([file]) => file.startsWith(ownPrefix))
  const platform = base.platform ?? job.sources.get(platformName) ?? ''
  const files = [...base.files].filter(([path]) => !path.startsWith('platform/'))
  const nameOf = (file: string): string =>
    file.startsWith(ownPrefix) || file === platformName ? nameIn(job)(file) : base.nameOf(file)
  const { compareSources } = await import('./compare/compare-sources.ts')
  return compareSources(
    { sources: new Map([...sources, ...files, [platformName, platform]]), nameOf },
    { sources: job.sources, nameOf: nameIn(job) },
    ownDocuments(job.inputs, `${saved}.schemas`),
  )
}

/** One run: its sources and settings, and the digests by which a tree is current. */
interface Job {
  readonly sources: Sources
  readonly roots: readonly Root[]
  readonly platform: string
  readonly layout: OutputLayout
  readonly external: string
  /** The digest of all code that the output comes from. */
  readonly code: string
  readonly inputs: Inputs
}

/** `inside`: the output is orch's own tree. */
async function prepare(options: GenerateOptions, inside: boolean): Promise<Job> {
  const own = join(packageRoot, 'schemas')
  const roots: readonly Root[] =
    options.schemas === undefined || resolve(options.schemas) === own
      ? [{ folder: own, prefix: '' }]
      : [
          { folder: own, prefix: ownPrefix },
          { folder: options.schemas, prefix: '' },
        ]
  const platform = options.platform ?? join(own, 'platform/orch.yaml')
  const { importExtension: extension = '.ts', pathTypes = false } = options
  const layout: OutputLayout = { inside, extension, ...(pathTypes && { pathTypes }) }
  const external = options.external ?? 'orch/generated'
  const sources = await readSources(roots, platform)
  const code = await digestOfGenerator()
  const generator = digest(`${code}\n${JSON.stringify([layout, external])}`)
  const inputs = { generator, inputs: digestsOf(sources) }
  return { sources, roots, platform, layout, external, code, inputs }
}

async function make(
  { sources, layout, external, inputs, ...job }: Job,
  memory: GeneratorCache,
  present: ReadonlyMap<string, string>,
  loading: Promise<LoadedPipeline>,
): Promise<Generated & Pick<PipelineResult, 'save'> & { readonly notes: string }> {
  const printer = memory.previous === noPreviousRun ? startPrinter() : quickPrinter()
  try {
    const { pipeline, save: keepScript } = await loading
    const { run, printFindings } = pipeline
    const tools = { cache: memory, printer, present: (path: string) => present.get(path) }
    const made = await run({ sources, layout, external, ...tools })
    const { files, digests, findings } = made
    const keep = async () => void (await Promise.all([made.save(), keepScript()]))
    const print = (found: typeof findings) =>
      printFindings(found, (file) => sources.get(file), nameIn(job))
    if (findings.length > 0) {
      return { files: new Map(), findings, report: print(findings), notes: '', save: keep }
    }
    const manifest = printManifest({ ...inputs, outputs: digests })
    return {
      files: new Map([...files, [manifestName, manifest]]),
      findings,
      report: '',
      notes: print(made.notes),
      save: keep,
    }
  } finally {
    await printer.close()
  }
}

/** The path to show for the name of a source: relative to the current folder, as editors and shells take it. */
function nameIn({ roots, platform }: Pick<Job, 'roots' | 'platform'>): (file: string) => string {
  return (file) => {
    if (file === platformName) return relative('', platform)
    const prefix = file.startsWith(ownPrefix) ? ownPrefix : ''
    const root = roots.find((each) => each.prefix === prefix)
    return relative('', join(root?.folder ?? '', file.slice(prefix.length)))
  }
}

async function diffOf(out: string, changes: readonly Change[]): Promise<string> {
  if (changes.length === 0) return ''
  const { printDiff } = await import('./print/diff.ts')
  return printDiff(relative('', out), changes)
}

/** The folders whose code decides what the output is, as they stand in the package. */
const codeFolders = ['codegen', 'runtime/cel', 'runtime/kernel']

/** The packages that do, too: another version may give other bytes. */
const codePackages = ['re2js', 'ts-morph', 'yaml']

/** Changes with any of the code folders and with the versions of those packages. */
async function digestOfGenerator(): Promise<string> {
  const built = dirname(here)
  const folders = codeFolders.map((one) => digestOfCode(join(built, one), join(packageRoot, one)))
  const text = await readFile(join(packageRoot, 'package.json'), 'utf8')
  const { dependencies = {} } = JSON.parse(text) as {
    readonly dependencies?: Readonly<Record<string, string>>
  }
  const versions = codePackages.map((name) => dependencies[name])
  return digest([...(await Promise.all(folders)), ...versions].join('\n'))
}

function findPackageRoot(folder: string): string {
  if (existsSync(join(folder, 'schemas/markers.yaml'))) return folder
  const parent = dirname(folder)
  return parent === folder ? folder : findPackageRoot(parent)
}
