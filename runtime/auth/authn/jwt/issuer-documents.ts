import { request } from 'node:https'
import { isObject, type JsonObject } from '../../../kernel/values/json.ts'
import { decodeJson } from '../../../serializer/serializer.ts'

/** Milliseconds that an issuer has for a document. */
const timeoutMs = 30_000

/** Most bytes of a document. */
const mostBytes = 1024 * 1024

/**
 * Reads a JSON object over TLS, whose certificate an authority in `ca` (PEM) vouches for, or one of the system's. Redirects are
 * failures: what an issuer says stands at its own address.
 *
 * @throws an Error that names the address and the reason.
 */
export async function fetchDocument(url: string, ca: string | undefined): Promise<JsonObject> {
  const fail = (why: string, cause?: unknown): never => {
    throw new Error(`GET ${url}: ${why}`, { cause })
  }
  const { status, bytes } = await get(url, ca).catch((cause: Error) => fail(cause.message, cause))
  if (status !== 200) return fail(`status ${status}`)
  try {
    const { value } = decodeJson(bytes)
    return isObject(value) ? value : fail('the document is no object')
  } catch (cause) {
    return fail('the document is no JSON', cause)
  }
}

interface Fetched {
  readonly status: number
  readonly bytes: Buffer
}

function get(url: string, ca: string | undefined): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    const options = {
      ...(ca !== undefined && { ca }),
      agent: false as const,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    }
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > mostBytes) sent.destroy(new Error(`more than ${mostBytes} bytes`))
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}
