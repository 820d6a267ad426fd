import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { SegmentedBody } from '../../serializer/serializer.ts'
import {
  type BodyStream,
  frameOf,
  type HttpRequest,
  type HttpResponse,
  headerOf,
} from './message.ts'

/** Below this, compression costs more than it saves. */
const minimumBytes = 128 * 1024

/** Compresses large bodies of GET for clients that take gzip; streams stay as they are. */
export function compressResponse(request: HttpRequest, answer: HttpResponse): HttpResponse {
  const { body, headers, status } = answer
  if (typeof body === 'function' || body.length <= minimumBytes) return answer
  if (request.method !== 'GET' || status !== 200 || !acceptsGzip(request)) return answer
  const vary = headers.Vary
  return {
    status,
    headers: {
      ...headers,
      'Content-Encoding': 'gzip',
      Vary: vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`,
    },
    body: gzipped(body),
  }
}

function acceptsGzip(request: HttpRequest): boolean {
  return (headerOf(request, 'accept-encoding') ?? '')
    .split(',')
    .some((one) => /^\s*gzip\s*(;\s*q=(1|0?\.\d*[1-9]\d*|1\.0*)\s*)?$/.test(one))
}

function gzipped(body: Uint8Array | SegmentedBody): BodyStream {
  return async (sink) => {
    const source = Readable.from(body instanceof Uint8Array ? [body] : body.segments())
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
