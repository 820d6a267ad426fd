import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Client } from '../client/client.ts'
import { type Clock, systemClock } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import { type DecodeLimits, decodeJson, encodeJson } from '../serializer/serializer.ts'
import { convertReview, type NamedConversions } from './convert-review.ts'
import type { CertificateFiles, ShownCertificate } from './serving-certificate.ts'
import { webhookNames } from './webhook-names.ts'

/** Whose kinds are converted, and how servers reach the webhook. */
export interface ServeConversionOptions {
  /** The generated scheme of the kinds. */
  readonly scheme: Pick<Scheme, 'routes'>
  /** Keeps the certificate in a secret and tells definitions of it, with the rights that `orch package` gives. */
  readonly client: Client
  /** The operator's name and namespace: those that it is packaged with. */
  readonly name: string
  readonly namespace: string
  /** Where it listens. Default 9443 on every address; port 0 picks a free one. */
  readonly listen?: { readonly host?: string; readonly port: number }
  /** A certificate in files, in place of one in a secret; who makes it also tells the definitions of it. */
  readonly files?: CertificateFiles
  /** Conversions by hand, by the names that `call` steps use. */
  readonly named?: NamedConversions
  readonly log?: Log
  readonly clock?: Clock
}

/** A webhook that answers `/convert`. */
export interface ConversionServer {
  readonly port: number
  /** Closes it; what it is answering is finished first. */
  close(): Promise<void>
}

/** How often the certificate is looked at: copies of the program show a new one soon after one of them made it. */
const lookMs = 60_000

/** The most bytes of a review: no more are read. */
const bodyLimit = 128 * 1024 * 1024

/** What a review may hold: it carries a whole list of objects. */
const reviewLimits: DecodeLimits = { depth: 1000, values: 1e7, keys: 1e6, items: 1e6 }

/**
 * Serves the conversions of an operator's kinds over TLS. Resolves when it listens and the definitions know its certificate.
 *
 * @throws StatusError if the secret or the definitions cannot be read or written.
 * @example
 * const webhook = await serveConversion({ scheme, client, name: 'cache-operator', namespace: 'cache-operator' })
 */
export async function serveConversion(options: ServeConversionOptions): Promise<ConversionServer> {
  const { listen = { port: 9443 }, clock = systemClock, log = silentLog, named } = options
  const kinds = Object.values(options.scheme.routes)
  const shown = () => certificateOf(options, kinds, clock.now())
  let current = await shown()
  const server = createServer(current, (request, response) => {
    answer(request, response, (review) => convertReview(kinds, review, named)).catch((error) => {
      log.error('a conversion failed', {}, error)
      response.destroy()
    })
  })
  const look = async (): Promise<void> => {
    const next = await shown()
    if (next.cert !== current.cert) server.setSecureContext(next)
    current = next
  }
  await listening(server, listen)
  const stop = repeat(clock, lookMs, () =>
    look().catch((error) => log.error('the certificate of the webhook cannot be read', {}, error)),
  )
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      stop()
      return closed(server)
    },
  }
}

/** Its code is loaded here: programs that serve no conversion do not pay for it. */
async function certificateOf(
  { files, client, name, namespace }: ServeConversionOptions,
  kinds: readonly AnyKind[],
  now: number,
): Promise<ShownCertificate> {
  const { certificateInFiles, keptCertificate } = await import('./serving-certificate.ts')
  if (files !== undefined) return certificateInFiles(files)
  const names = webhookNames(name, namespace)
  const definitions = convertedDefinitions(kinds)
  return keptCertificate({ client, namespace, names, definitions }, now)
}

/** The definitions whose versions differ in more than their names. */
function convertedDefinitions(kinds: readonly AnyKind[]): readonly string[] {
  const converted = kinds.filter(
    ({ storageVersion }) => (storageVersion?.conversion.length ?? 0) > 0,
  )
  return [...new Set(converted.map(({ plural, group }) => `${plural}.${group}`))].sort()
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  convert: (review: unknown) => object,
): Promise<void> {
  const [path] = (request.url ?? '').split('?')
  if (path !== '/convert') return refuse(response, 404, 'there is only /convert')
  if (request.method !== 'POST') return refuse(response, 405, 'a review is sent by POST')
  const body = await bodyOf(request)
  if (body === undefined) return refuse(response, 413, `a review has at most ${bodyLimit} bytes`)
  let review: unknown
  try {
    review = decodeJson(body, reviewLimits).value
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return refuse(response, error.code, error.message)
  }
  response.setHeader('content-type', 'application/json')
  response.end(encodeJson(convert(review)))
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' })
  response.end(`${message}\n`)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += (chunk as Buffer).length
    if (length > bodyLimit) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

function listening(server: Server, { host, port }: { host?: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}

/** Runs `work` again and again, each time after the one before has ended, until the returned function is called. */
function repeat(clock: Clock, ms: number, work: () => Promise<void>): () => void {
  let stopped = false
  let cancel = () => {}
  const next = (): void => {
    cancel = clock.after(ms, async () => {
      await work()
      if (!stopped) next()
    })
  }
  next()
  return () => {
    stopped = true
    cancel()
  }
}
