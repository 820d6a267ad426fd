/**
 * What a run remembers for the next one, so that a small change is a short run. It makes nothing true:
 *
 * 1. It is used by the same generator only, and a part of it only while the digest of what it was made from is the same.
 * 2. It holds no text of the output: what is reused is read from the output, and checked against its digest.
 * 3. Without it, or with a damaged one, a run does the same as with it, and takes longer.
 * 4. A check never asks it.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Question } from '../emit/recorded.ts'
import { digest } from '../print/digest.ts'
import type { Inputs } from '../print/manifest.ts'
import type { Recalling } from '../schema/load.ts'
import type { FileParts } from '../schema/parts.ts'
import { platformName } from '../schema/sources.ts'
import { readKept, writeKept } from './kept.ts'
import { schemaMemory } from './schemas.ts'

/** An artefact of an earlier run: digests of what the emitter gave, and of the text that came of it. */
export interface Made {
  readonly path: string
  readonly artefact: string
  readonly text: string
}

/** What a unit asked, as places in `Past.questions`, and what it gave. */
export interface PastUnit {
  readonly asked: readonly number[]
  readonly made: readonly Made[]
}

/** The questions that all units asked, with the digests of their answers. */
export interface Past {
  readonly questions: readonly (readonly [Question, string])[]
  readonly units: Readonly<Record<string, PastUnit>>
}

export const nothingPast: Past = { questions: [], units: {} }

export interface Memory {
  readonly past: Past
  /** What became of schema files that are as they were. */
  readonly recall?: Recalling
  /** Digests of types that are known from an earlier run, or become known in this one. */
  readonly digests: WeakMap<object, string>
  /** Keeps what the next run may use. */
  readonly keep: (past: Past, parts: ReadonlyMap<string, FileParts>) => Promise<void>
}

/** A run that remembers nothing. */
export const noMemory: Memory = {
  past: nothingPast,
  digests: new WeakMap(),
  keep: async () => {},
}

/**
 * What was kept about an output folder, in `.cache` beside the nearest package.json: a folder that has none above it is
 * nobody's project, and nothing is kept there.
 */
export function openMemory(out: string, { generator, inputs }: Inputs): Memory {
  const project = projectOf(resolve(out))
  if (project === undefined) return noMemory
  const cache = join(project, '.cache')
  const units = join(cache, 'orch', `${digest(resolve(out))}.units`)
  const documents = join(cache, 'orch', `${digest(resolve(out))}.schemas`)
  const platform = digest(`${generator}\n${inputs[platformName]}`)
  const past = readKept(units, generator)?.toString()
  const kept = readKept(documents, platform)?.toString() ?? ''
  const digests = new WeakMap<object, string>()
  const schemas = schemaMemory(kept, inputs, digests)
  return {
    past: past === undefined ? nothingPast : (JSON.parse(past) as Past),
    recall: schemas.recall,
    digests,
    async keep(made, parts) {
      const text = schemas.print(parts)
      await Promise.all([
        writeKept(units, generator, JSON.stringify(made)),
        text === undefined ? undefined : writeKept(documents, platform, text),
      ])
      await writeFile(join(cache, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {})
    },
  }
}

function projectOf(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : projectOf(parent)
}
