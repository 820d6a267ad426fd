import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { type ManifestOrigin, type ReadManifest, readManifest } from './static-pod.ts'

type Origin = Omit<ManifestOrigin, 'source' | 'place'>

const mostBytes = 10 * 1024 * 1024

/** The pods of a folder of manifests, or of one. Files whose names begin with a dot are passed over; of a wrong one only it is left out. */
export async function readManifestFolder(path: string, origin: Origin): Promise<ReadManifest> {
  try {
    const found = await stat(path)
    const names = found.isDirectory() ? (await readdir(path)).sort() : []
    const files = found.isDirectory()
      ? names.filter((name) => !name.startsWith('.')).map((name) => join(path, name))
      : [path]
    const read = await Promise.all(files.map((file) => readManifestFile(file, origin)))
    return withoutRepeated(read)
  } catch (error) {
    const problems = [errorText(error)]
    return { pods: [], problems, ...(!isAbsent(error) && { isUnknown: true }) }
  }
}

/** The pods that a URL names. */
export async function readManifestUrl(
  url: string,
  headers: Readonly<Record<string, readonly string[]>>,
  origin: Origin,
): Promise<ReadManifest> {
  try {
    const sent = Object.entries(headers).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value]),
    )
    const response = await fetch(url, { headers: sent, signal: AbortSignal.timeout(60_000) })
    if (!response.ok) throw new Error(`HTTP status ${response.status}`)
    const bytes = await bodyOf(response)
    const read = await readManifest(bytes, { ...origin, source: 'http', place: url })
    const isWrong = read.pods.length === 0 && read.problems.length > 0
    return isWrong ? { ...read, isUnknown: true } : read
  } catch (error) {
    return { pods: [], problems: [`${url}: ${errorText(error)}`], isUnknown: true }
  }
}

async function bodyOf({ body }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (length > mostBytes) throw new Error(`longer than ${mostBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** A file that has gone meanwhile has no pods; of one that cannot be read it is not known which it has. */
async function readManifestFile(file: string, origin: Origin): Promise<ReadManifest> {
  try {
    const found = await stat(file)
    if (!found.isFile()) return { pods: [], problems: [] }
    if (found.size > mostBytes) {
      return { pods: [], problems: [`${file}: longer than ${mostBytes} bytes`] }
    }
    const bytes = await readFile(file)
    // Of one that is being written it is not known what it will say.
    const { mtimeMs, size, ino } = await stat(file)
    if (mtimeMs !== found.mtimeMs || size !== found.size || ino !== found.ino) {
      return { pods: [], problems: [], isUnknown: true }
    }
    return await readManifest(bytes, { ...origin, source: 'file', place: file })
  } catch (error) {
    if (isAbsent(error)) return { pods: [], problems: [] }
    return { pods: [], problems: [`${file}: ${errorText(error)}`], isUnknown: true }
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Of two pods of one name the first stays. */
function withoutRepeated(read: readonly ReadManifest[]): ReadManifest {
  const seen = new Map<string, Stored<Pod>>()
  const problems = read.flatMap((one) => one.problems)
  for (const pod of read.flatMap((one) => one.pods)) {
    const { namespace, name } = pod.metadata
    const key = `${namespace}/${name}`
    if (seen.has(key)) problems.push(`pod ${key} stands in two manifests; the first one is run`)
    else seen.set(key, pod)
  }
  const isUnknown = read.some((one) => one.isUnknown)
  return { pods: [...seen.values()], problems, ...(isUnknown && { isUnknown }) }
}
