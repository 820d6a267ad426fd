/**
 * What a run saves for the next one, so that a small change is a short run. Its promises:
 *
 * 1. It is used by the same generator only, and each part of it only while the digest of what it was made from is the
 *    same.
 * 2. It holds no text of the output: what is reused is read from the output folder, and checked against its digest.
 * 3. Without it, or with a damaged one, a run does the same and takes longer.
 * 4. `--check` never uses it.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ModelQuery } from '../emit/model/recording-model.ts'
import { digest } from '../print/digest.ts'
import type { Inputs } from '../print/manifest.ts'
import type { BuiltFile } from '../schema/build/built-file.ts'
import type { OpenDocumentCache } from '../schema/files/load.ts'
import { ownPrefix, platformName } from '../schema/files/sources.ts'
import { readCacheFile, writeCacheFile } from './cache-file.ts'
import { openSchemaCache } from './schema-cache.ts'

/** An artefact of an earlier run: the digest of what the emitter gave, and of the text that was printed from it. */
export interface CachedArtefact {
  readonly path: string
  readonly artefact: string
  readonly text: string
}

/** What a unit queried, as indexes into `PreviousRun.queries`, and what it gave. */
export interface PreviousUnit {
  readonly queries: readonly number[]
  readonly artefacts: readonly CachedArtefact[]
}

/** The queries of all units, each with the digest of its result, and the units by name. */
export interface PreviousRun {
  readonly queries: readonly (readonly [ModelQuery, string])[]
  readonly units: Readonly<Record<string, PreviousUnit>>
}

/** What is known without a cache: every unit is emitted. */
export const noPreviousRun: PreviousRun = { queries: [], units: {} }

/** The cache of one output folder, as one run uses it. */
export interface GeneratorCache {
  readonly previous: PreviousRun
  /** What was built from schema files whose texts did not change; absent without a cache. */
  readonly documents?: OpenDocumentCache
  /** Digests of types, known from an earlier run or found in this one. */
  readonly digests: WeakMap<object, string>
  /** Saves what the next run may use. */
  readonly save: (past: PreviousRun, parts: ReadonlyMap<string, BuiltFile>) => Promise<void>
}

/** No cache: nothing is known, nothing is saved. */
export const noCache: GeneratorCache = {
  previous: noPreviousRun,
  digests: new WeakMap(),
  save: async () => {},
}

/**
 * The cache of an output folder, in `.cache` beside the nearest package.json above it. A folder without one above it
 * keeps nothing: there is no project to keep it in. What the first run of any project makes of orch's own schemas is
 * saved in the file `shared`, for the first runs of others.
 */
export function openCache(
  out: string,
  { generator, inputs }: Inputs,
  shared: string,
): GeneratorCache {
  const project = projectOf(resolve(out))
  const platform = platformMark({ generator, inputs })
  const units = project && join(project, '.cache/orch', `${digest(resolve(out))}.units`)
  const documents = project && join(project, '.cache/orch', `${digest(resolve(out))}.schemas`)
  const past = units && readCacheFile(units, generator)?.toString()
  const kept = documents && readCacheFile(documents, platform)?.toString()
  const ownMark = markOfOwn({ generator, inputs })
  const own = kept === undefined ? readCacheFile(shared, ownMark)?.toString() : undefined
  const digests = new WeakMap<object, string>()
  const schemas = openSchemaCache(kept ?? own ?? '', inputs, digests)
  return {
    previous: past === undefined ? noPreviousRun : (JSON.parse(past) as PreviousRun),
    documents: schemas.documents,
    digests,
    async save(made, parts) {
      if (kept === undefined && own === undefined) {
        const text = schemas.printOwn(parts)
        if (text !== '') await writeCacheFile(shared, ownMark, text)
      }
      if (project === undefined || units === undefined || documents === undefined) return
      const text = schemas.print(parts)
      await Promise.all([
        writeCacheFile(units, generator, JSON.stringify(made)),
        text === undefined ? undefined : writeCacheFile(documents, platform, text),
      ])
      await writeFile(join(project, '.cache/.gitignore'), '*\n', { flag: 'wx' }).catch(() => {})
    },
  }
}

/** Orch's own documents as a run saved them in the file `shared`: parsed only, nothing that was built from them. */
export function ownDocuments(inputs: Inputs, shared: string): OpenDocumentCache {
  const own = readCacheFile(shared, markOfOwn(inputs))?.toString() ?? ''
  const { documents } = openSchemaCache(own, inputs.inputs, new WeakMap())
  return (parse) => ({ parse: documents(parse).parse, builtFile: () => undefined })
}

/** What everything that is made of documents depends on. */
function platformMark({ generator, inputs }: Inputs): string {
  return digest(`${generator}\n${inputs[platformName]}`)
}

/** The mark of what is saved of orch's own schemas, which are read beside those of a user. */
function markOfOwn(of: Inputs): string {
  const own = Object.entries(of.inputs).filter(([file]) => file.startsWith(ownPrefix))
  return digest([platformMark(of), ...own.map((each) => each.join(' '))].join('\n'))
}

/** The nearest folder with a package.json, upwards. */
function projectOf(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : projectOf(parent)
}
