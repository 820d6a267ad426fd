import { StatusError } from '../kernel/errors/status-error.ts'

const newline = 10

/** Splits a stream into its lines. A line longer than `limit` bytes fails instead of growing memory. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array, void> {
  let kept: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = joined([...kept, chunk.subarray(start, end)])
      if (line.length > 0) yield line
      kept = []
      size = 0
      start = end + 1
    }
    if (start < chunk.length) kept.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > limit) throw tooLong(limit)
  }
  if (size > 0) yield joined(kept)
}

/** The whole of a stream, which may hold at most `limit` bytes. */
export async function readAll(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const kept: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    kept.push(chunk)
    size += chunk.length
    if (size > limit) throw tooLong(limit)
  }
  return joined(kept)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
}

function tooLong(limit: number): StatusError {
  return new StatusError('InternalError', `response: longer than ${limit} bytes`)
}
