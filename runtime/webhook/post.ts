/** One HTTPS request to a webhook, with a bound on time and on the size of the answer. */
import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import type { Clock } from '../kernel/async/clock.ts'

/** Where a webhook listens, and who it has to be. */
export interface WebhookDestination {
  readonly url: URL
  /** The URL as it is told in errors. */
  readonly shown: string
  /** Where to connect, if that is not what the URL says. */
  readonly host?: string
  readonly port?: number
  readonly serverName: string
  readonly agent: Agent
}

export interface WebhookResponse {
  readonly code: number
  readonly bytes: Buffer
}

/** Most bytes of an answer. */
const maxResponseBytes = 3 * 1024 * 1024

/** An agent for webhooks that show a certificate of these authorities, or of one that everybody trusts. */
export function agentFor(authorities: string | undefined): Agent {
  return new Agent({
    keepAlive: true,
    maxSockets: 64,
    ...(authorities && { ca: authorities }),
  })
}

/**
 * Sends a JSON body; the answer's code and bytes. Fails with an Error whose message says what went wrong, and when the
 * signal aborts.
 */
export async function post(
  destination: WebhookDestination,
  body: Uint8Array,
  timeoutMs: number,
  clock: Clock,
  ended: AbortSignal,
): Promise<WebhookResponse> {
  const over = new AbortController()
  const cancel = clock.after(timeoutMs, () => over.abort())
  const { signal } = over
  const stop = () => over.abort()
  ended.addEventListener('abort', stop)
  const why = (error: unknown) =>
    over.signal.aborted ? 'context deadline exceeded' : describeError(error, destination)
  try {
    const response = await send(optionsOf(destination, body, signal), body).catch(
      (cause: unknown) => {
        throw new Error(`Post "${destination.shown}": ${why(cause)}`, { cause })
      },
    )
    const bytes = await bytesOf(response).catch((cause: unknown) => {
      throw new Error(`${bodyReadError} ${cut(why(cause))}`, { cause })
    })
    return { code: response.statusCode ?? 0, bytes }
  } finally {
    cancel()
    ended.removeEventListener('abort', stop)
  }
}

const bodyReadError = 'unexpected error when reading response body. Please retry. Original error:'

function cut(why: string): string {
  return why === 'EOF' ? 'unexpected EOF' : why
}

function optionsOf(
  { url, host, port, serverName, agent }: WebhookDestination,
  body: Uint8Array,
  signal: AbortSignal,
): RequestOptions {
  return {
    method: 'POST',
    host: host ?? url.hostname.replace(/^\[|\]$/g, ''),
    port: port ?? (url.port || 443),
    path: `${url.pathname}${url.search}`,
    servername: serverName,
    agent,
    signal,
    headers: {
      host: url.host,
      'content-type': 'application/json',
      accept: 'application/json',
      'content-length': body.byteLength,
    },
  }
}

/** A connection that was kept open and ended while nothing was asked on it is no failure: another one is taken. */
async function send(options: RequestOptions, body: Uint8Array): Promise<IncomingMessage> {
  for (;;) {
    const response = await sendOnce(options, body)
    if (response !== staleConnection) return response
  }
}

const staleConnection = Symbol('a connection that has ended')

function sendOnce(
  options: RequestOptions,
  body: Uint8Array,
): Promise<IncomingMessage | typeof staleConnection> {
  return new Promise((resolve, reject) => {
    const sent = request(options, resolve)
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const ended = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      if (sent.reusedSocket && ended) resolve(staleConnection)
      else reject(error)
    })
    sent.end(body)
  })
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    size += (part as Buffer).length
    if (size > maxResponseBytes) {
      response.destroy()
      throw new Error(`the answer is larger than ${maxResponseBytes} bytes`)
    }
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts)
}

const verification = 'tls: failed to verify certificate: x509:'
const unknown = () => `${verification} certificate signed by unknown authority`
const notFound = ({ url }: WebhookDestination) => `dial tcp: lookup ${url.hostname}: no such host`

const reasons = new Map<string, (destination: WebhookDestination, error: object) => string>([
  ['ECONNREFUSED', ({ url }) => `dial tcp ${url.host}: connect: connection refused`],
  ['ECONNRESET', () => 'EOF'],
  ['ENOTFOUND', notFound],
  ['EAI_AGAIN', notFound],
  ['CERT_HAS_EXPIRED', () => `${verification} certificate has expired or is not yet valid`],
  ['CERT_NOT_YET_VALID', () => `${verification} certificate has expired or is not yet valid`],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknown],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknown],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknown],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknown],
  ['ERR_TLS_CERT_ALTNAME_INVALID', hostnameMismatch],
])

function describeError(error: unknown, destination: WebhookDestination): string {
  const { code = '', message = String(error) } = error as { code?: string; message?: string }
  return reasons.get(code)?.(destination, error as object) ?? message
}

/** The certificate is that of somebody else. */
function hostnameMismatch({ serverName, url }: WebhookDestination, error: object): string {
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } }
  const names = (cert?.subjectaltname ?? '').split(', ')
  const [kind, wanted] = serverName === '' ? ['IP Address:', url.hostname] : ['DNS:', serverName]
  const valid = names.flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []))
  if (valid.length > 0) {
    return `${verification} certificate is valid for ${valid.join(', ')}, not ${wanted}`
  }
  return serverName === ''
    ? `${verification} cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`
    : `${verification} certificate is not valid for any names, but wanted to match ${wanted}`
}
