/**
 * `manifest.json` of the output folder: digests of everything that went in and of everything that came out. If both
 * agree with what is on disk, the tree is current, which is found out without loading a compiler.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from './digest.ts'

/** The path of the manifest in the output folder. */
export const manifestName = 'manifest.json'

/** What a tree was made from, and what it consists of. */
export interface Manifest {
  /** Digest of the generator's own code, of the versions of the packages that it prints with, and of its settings. */
  readonly generator: string
  /** Digests of the files that were read, by name. */
  readonly inputs: Readonly<Record<string, string>>
  /** Digests of the files that were written, by path. */
  readonly outputs: Readonly<Record<string, string>>
}

/** What a run reads: without the outputs. */
export type Inputs = Omit<Manifest, 'outputs'>

/** The digests of texts in order of names; `known` gives those that need not be computed again. */
export function digestsOf(
  texts: ReadonlyMap<string, string>,
  known: (name: string) => string | undefined = () => undefined,
): Readonly<Record<string, string>> {
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, text]) => [name, known(name) ?? digest(text)]))
}

/** The text of a manifest. */
export function printManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** The manifest of an output folder; undefined if there is none, or none that is whole. */
export async function readManifest(out: string): Promise<Manifest | undefined> {
  try {
    const value: unknown = JSON.parse(readText(out, manifestName) ?? '')
    return isManifest(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isManifest(value: unknown): value is Manifest {
  const { inputs, outputs } = (value ?? {}) as Readonly<Record<string, unknown>>
  return [inputs, outputs].every((one) => typeof one === 'object' && one !== null)
}

/**
 * The text of a file in a folder; undefined if it cannot be read. Synchronous: for hundreds of small files that takes a
 * fifth of the time.
 */
export function readText(folder: string, path: string): string | undefined {
  try {
    return readFileSync(join(folder, path), 'utf8')
  } catch {
    return undefined
  }
}

/** True if the folder was generated from exactly these inputs and no file of it changed since. */
export async function isCurrent(out: string, inputs: Inputs): Promise<boolean> {
  const manifest = await readManifest(out)
  if (manifest === undefined) return false
  if (printManifest({ ...inputs, outputs: {} }) !== printManifest({ ...manifest, outputs: {} })) {
    return false
  }
  return Object.entries(manifest.outputs).every(([path, wanted]) => {
    const text = readText(out, path)
    return text !== undefined && digest(text) === wanted
  })
}
