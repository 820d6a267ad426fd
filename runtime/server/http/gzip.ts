import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { EncodedBody } from '../../serializer/serializer.ts'
import { type HttpRequest, headerOf } from './request.ts'
import { type BodyStream, frameOf, type HttpResponse } from './response.ts'

/** Bytes. Below, compression costs more time than the network saves. */
const minimumBytes = 128 * 1024

/**
 * Compresses large bodies of GET for clients that accept gzip. Streams stay as they are: a compressor would hold back events
 * until it has enough of them.
 */
export function compressResponse(request: HttpRequest, response: HttpResponse): HttpResponse {
  const { body, headers, status } = response
  if (typeof body === 'function') return response
  if (body.length !== undefined && body.length <= minimumBytes) return response
  if (request.method !== 'GET' || status !== 200 || !acceptsGzip(request)) return response
  return {
    ...response,
    headers: {
      ...headers,
      'Content-Encoding': 'gzip',
      Vary: withAcceptEncoding(headers.Vary),
    },
    body: gzipped(body),
  }
}

/** What the answer varies by, and by the encodings that a client takes. */
function withAcceptEncoding(vary: HttpResponse['headers'][string] | undefined): string {
  const name = 'Accept-Encoding'
  const text = vary === undefined ? '' : String(vary)
  if (text === '') return name
  return text.includes(name) ? text : `${text}, ${name}`
}

/** True if the header names gzip with a quality above 0. */
function acceptsGzip(request: HttpRequest): boolean {
  return (headerOf(request, 'accept-encoding') ?? '')
    .split(',')
    .some((one) => /^\s*gzip\s*(;\s*q=(1|0?\.\d*[1-9]\d*|1\.0*)\s*)?$/.test(one))
}

/** The body compressed while it is sent, at the fastest level, as the public API server does it. */
function gzipped(body: EncodedBody): BodyStream {
  return async (sink) => {
    const source = Readable.from(piecesOf(body))
    const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 })
    let closed = false
    sink.onClose(() => {
      closed = true
      source.destroy()
      gzip.destroy()
    })
    try {
      for await (const chunk of source.pipe(gzip)) {
        if (!sink.write(frameOf(chunk as Uint8Array))) await sink.drained()
      }
    } catch (error) {
      if (!closed) throw error
    }
  }
}

function piecesOf(body: EncodedBody): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) return [body]
  return body.length === undefined ? body.pieces() : body.segments()
}
