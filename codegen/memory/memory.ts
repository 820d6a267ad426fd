/**
 * What a run remembers for the next one, so that a small change is a short run. It makes nothing true:
 *
 * 1. It is used by the same generator only, and a part of it only while the digest of what it was made from is the same.
 * 2. It holds no text of the output: what is reused is read from the output, and checked against its digest.
 * 3. Without it, or with a damaged one, a run does the same as with it, and takes longer.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Question } from '../emit/recorded.ts'
import { digest } from '../print/digest.ts'
import type { Parsing } from '../schema/load.ts'
import type { Node } from '../schema/node.ts'
import type { Parse } from '../schema/parse.ts'
import { pack, unpack } from './documents.ts'

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

/** The parsed documents, packed, by the digest of their source. */
type Documents = Readonly<
  Record<string, readonly [digest: string, packed: Parameters<typeof unpack>[0]]>
>

export interface Memory {
  readonly past: Past
  /** Parses, or remembers what the same text gave on the same platform. */
  readonly parse: Parsing
  /** Keeps what the next run may use. */
  readonly keep: (past: Past) => Promise<void>
}

/** A run that remembers nothing. */
export const noMemory: Memory = {
  past: nothingPast,
  parse: (_, otherwise) => otherwise,
  keep: async () => {},
}

/**
 * What was kept about an output folder, in `.cache` beside the nearest package.json: a folder that has none above it is
 * nobody's project, and nothing is kept there.
 */
export async function openMemory(out: string, generator: string): Promise<Memory> {
  const project = projectOf(resolve(out))
  if (project === undefined) return noMemory
  const cache = join(project, '.cache')
  const name = join(cache, 'orch', digest(resolve(out)))
  const [documents, past] = await Promise.all([
    read<Documents>(`${name}.documents.json`, generator),
    read<Past>(`${name}.units.json`, generator),
  ])
  const parsed = new Map<string, Documents[string]>()
  return {
    past: past ?? nothingPast,
    parse: (platform, otherwise) => (file, source, substitute, report) => {
      const key = digest(`${platform}\n${source}`)
      const known = documents?.[file]
      if (known?.[0] !== key) {
        return remembering(parsed, key, otherwise)(file, source, substitute, report)
      }
      parsed.set(file, known)
      let whole: Node | undefined
      return unpack(known[1], file, () => {
        whole ??= otherwise(file, source, substitute, () => {})
        return whole
      })
    },
    async keep(kept) {
      await mkdir(join(cache, 'orch'), { recursive: true })
      const ignore = join(cache, '.gitignore')
      if (!existsSync(ignore)) await writeFile(ignore, '*\n')
      await write(`${name}.units.json`, generator, kept)
      if (isSame(documents, parsed)) return
      await write(`${name}.documents.json`, generator, Object.fromEntries(parsed))
    },
  }
}

/** Parses, and keeps what nothing was wrong with. */
function remembering(parsed: Map<string, Documents[string]>, key: string, parse: Parse): Parse {
  return (file, source, substitute, report) => {
    let sound = true
    const node: Node | undefined = parse(file, source, substitute, (...finding) => {
      sound = false
      report(...finding)
    })
    if (sound && node !== undefined) parsed.set(file, [key, pack(node)])
    return node
  }
}

function isSame(before: Documents | undefined, after: ReadonlyMap<string, Documents[string]>) {
  const files = Object.keys(before ?? {})
  return files.length === after.size && files.every((file) => after.get(file) === before?.[file])
}

function projectOf(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : projectOf(parent)
}

/** The content of a file that the same generator wrote. */
async function read<T>(file: string, generator: string): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const head = `${generator}\n`
  if (!text.startsWith(head)) return undefined
  try {
    return JSON.parse(text.slice(head.length)) as T
  } catch {
    return undefined
  }
}

/** Written aside and then renamed: a run beside this one never reads half a file. */
async function write(file: string, generator: string, content: unknown): Promise<void> {
  const aside = `${file}.${process.pid}`
  await writeFile(aside, `${generator}\n${JSON.stringify(content)}`)
  await rename(aside, file)
}
