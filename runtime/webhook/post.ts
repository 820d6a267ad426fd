/** One HTTPS request to a webhook, with a bound on time and on the size of the answer. */
import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import type { Clock } from '../kernel/time.ts'

/** Where a webhook listens, and who it has to be. */
export interface Destination {
  readonly url: URL
  /** Where to connect, if that is not what the URL says. */
  readonly host?: string
  readonly port?: number
  readonly serverName: string
  readonly agent: Agent
}

/** Most bytes of an answer. */
const mostBytes = 3 * 1024 * 1024

/** An agent for webhooks that show a certificate of these authorities, or of one that everybody trusts. */
export function agentFor(authorities: string | undefined): Agent {
  return new Agent({
    keepAlive: true,
    maxSockets: 64,
    ...(authorities && { ca: authorities }),
  })
}

/** Sends a JSON body; the answer's code and bytes. Fails with an Error whose message says what went wrong. */
export async function post(
  { url, host, port, serverName, agent }: Destination,
  body: Uint8Array,
  timeoutMs: number,
  clock: Clock,
): Promise<{ readonly code: number; readonly bytes: Buffer }> {
  const over = new AbortController()
  const cancel = clock.after(timeoutMs, () => over.abort())
  try {
    const response = await send(
      {
        method: 'POST',
        host: host ?? url.hostname.replace(/^\[|\]$/g, ''),
        port: port ?? (url.port || 443),
        path: `${url.pathname}${url.search}`,
        servername: serverName,
        agent,
        signal: over.signal,
        headers: {
          host: url.host,
          'content-type': 'application/json',
          accept: 'application/json',
          'content-length': body.byteLength,
        },
      },
      body,
    )
    return { code: response.statusCode ?? 0, bytes: await bytesOf(response) }
  } catch (error) {
    const why = over.signal.aborted ? 'context deadline exceeded' : reasonOf(error, url)
    throw new Error(`Post "${url.href}": ${why}`, { cause: error })
  } finally {
    cancel()
  }
}

function send(options: RequestOptions, body: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(options, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    size += (part as Buffer).length
    if (size > mostBytes) {
      response.destroy()
      throw new Error(`the answer is larger than ${mostBytes} bytes`)
    }
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts)
}

const verification = 'tls: failed to verify certificate: x509:'

const reasons = new Map<string, (url: URL) => string>([
  ['ECONNREFUSED', ({ host }) => `dial tcp ${host}: connect: connection refused`],
  ['ECONNRESET', () => 'EOF'],
  ['ENOTFOUND', ({ hostname }) => `dial tcp: lookup ${hostname}: no such host`],
  ['EAI_AGAIN', ({ hostname }) => `dial tcp: lookup ${hostname}: no such host`],
  ['CERT_HAS_EXPIRED', () => `${verification} certificate has expired or is not yet valid`],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', () => `${verification} certificate signed by unknown authority`],
  ['SELF_SIGNED_CERT_IN_CHAIN', () => `${verification} certificate signed by unknown authority`],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    () => `${verification} certificate signed by unknown authority`,
  ],
  [
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    () => `${verification} certificate signed by unknown authority`,
  ],
])

function reasonOf(error: unknown, url: URL): string {
  const { code = '', message = String(error) } = error as { code?: string; message?: string }
  return reasons.get(code)?.(url) ?? message
}
