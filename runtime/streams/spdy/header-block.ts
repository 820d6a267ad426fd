/** Blocks of headers of SPDY/3.1, whose compression remembers all blocks before. */
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib'
import { spdyDictionary } from './dictionary.ts'

/** Most bytes of a block that is not compressed any more. */
const mostBytes = 64 * 1024

/** Reads blocks in their order. */
export class BlockReader {
  readonly #inflate: Inflate = createInflate({
    dictionary: spdyDictionary,
    finishFlush: constants.Z_SYNC_FLUSH,
  })

  /** @throws an Error for what is no block, or too large. */
  async read(compressed: Buffer): Promise<ReadonlyMap<string, string>> {
    return headersOf(await through(this.#inflate, compressed))
  }

  close(): void {
    this.#inflate.close()
  }
}

/** Makes blocks without headers, in their order. */
export class BlockWriter {
  readonly #deflate: Deflate = createDeflate({ dictionary: spdyDictionary })

  empty(): Promise<Buffer> {
    return through(this.#deflate, Buffer.alloc(4))
  }

  close(): void {
    this.#deflate.close()
  }
}

/** What comes out of a stream of zlib for what goes in, up to the next flush. */
function through(stream: Inflate | Deflate, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (result: () => void): void => {
      stream.off('data', take)
      stream.off('error', fail)
      result()
    }
    const fail = (error: Error): void => settle(() => reject(error))
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      size += chunk.length
      if (size > mostBytes) fail(new Error('a block of headers is too large'))
    }
    stream.on('data', take)
    stream.once('error', fail)
    stream.write(bytes)
    stream.flush(constants.Z_SYNC_FLUSH, () => settle(() => resolve(Buffer.concat(chunks))))
  })
}

function headersOf(block: Buffer): ReadonlyMap<string, string> {
  let at = 0
  const number = (): number => {
    if (at + 4 > block.length) throw new Error('a block of headers breaks off')
    at += 4
    return block.readUInt32BE(at - 4)
  }
  const text = (): string => {
    const length = number()
    if (at + length > block.length) throw new Error('a block of headers breaks off')
    at += length
    return block.toString('utf8', at - length, at)
  }
  const headers = new Map<string, string>()
  for (let left = number(); left > 0; left--) headers.set(text().toLowerCase(), text())
  return headers
}
