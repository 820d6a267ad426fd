import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Archive, readArchive } from '../../../runtime/store/store.ts'

/** Bytes that are read from a file at once. */
const readBytes = 1024 * 1024

/** Opens an archive; `-` is standard input. @throws Error if it is none. */
export async function openArchive(name: string): Promise<Archive> {
  if (name === '-') return readArchive('standard input', process.stdin)
  const stream = createReadStream(name, { highWaterMark: readBytes })
  return readArchive(name, stream, async () => {
    stream.destroy()
  })
}

/**
 * Writes bytes into a new file, which has its name only once all of them are on the disk.
 *
 * @throws Error if there is a file of that name.
 */
export async function writeWhole(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const taken = (): Error => new Error(`${name}: is there already: name another file`)
  if (existsSync(name)) throw taken()
  const draft = `${name}.part-${process.pid}`
  try {
    const output = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(Readable.from(bytes, { objectMode: false }), output, { signal })
    await link(draft, name).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? taken() : error
    })
  } finally {
    await rm(draft, { force: true })
  }
  const folder = await open(dirname(name), 'r')
  await folder.sync().finally(() => folder.close())
}
