import '../../../tools/test/guard.ts'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { bootstrap, createRegistry } from '../../../runtime/registry/registry.ts'
import { withResourceVersion } from '../../../runtime/serializer/serializer.ts'
import { type ApiServer, createServer, type ServerOptions } from '../../../runtime/server/server.ts'
import { openSqliteStore } from '../../../runtime/store/store.ts'
import { createWatchCache } from '../../../runtime/watch/watch.ts'
import { hangSignal } from '../../support/deadline.ts'

/** A real server over a real store in memory, on a socket of its own. */
export interface TestServer {
  readonly server: ApiServer
  readonly url: string
  readonly request: (request: TestRequest) => Promise<TestResponse>
  readonly open: (request: TestRequest) => Promise<IncomingMessage>
  /** Forgets the history up to now. */
  readonly forget: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface TestRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes go as they are; anything else as JSON. */
  readonly body?: unknown
}

export interface TestResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
  readonly text: string
  readonly json: () => Record<string, unknown>
}

export async function startTestServer(
  options: Partial<ServerOptions> & {
    /** Prefixes of keys that are not kept in memory. */
    readonly uncached?: readonly string[]
  } = {},
): Promise<TestServer> {
  const { uncached = [] } = options
  const clock = options.clock ?? systemClock
  const store = await openSqliteStore({ filename: ':memory:', clock })
  const stampResourceVersion = withResourceVersion
  const cache = await createWatchCache(store, { clock, stampResourceVersion, uncached })
  const gates = options.gates && { gates: options.gates }
  const registry = createRegistry({
    store: cache,
    scheme: options.scheme ?? scheme,
    clock,
    ...gates,
  })
  await bootstrap(registry)
  const server = createServer({ registry, scheme, clock, ...options })
  const { url } = await server.listen({ port: 0 })
  return {
    server,
    url,
    request: (request) => ask(url, request),
    open: (request) => open(url, request),
    forget: async () => cache.compact(await cache.revision()),
    async stop() {
      await server.stop()
      await cache.close()
    },
  }
}

export function open(
  url: string,
  { method = 'GET', path, headers, body }: TestRequest,
): Promise<IncomingMessage> {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const bytes = body === undefined ? undefined : raw ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url + path, {
      method,
      headers: { ...headers, ...(bytes && { 'content-length': String(Buffer.byteLength(bytes)) }) },
      agent: false,
      signal: hangSignal(),
    })
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end(bytes)
  })
}

export async function ask(url: string, request: TestRequest): Promise<TestResponse> {
  const response = await open(url, request)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString()
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text,
    json: () => JSON.parse(text),
  }
}

/** What a reply has to be: the fields named here are compared, others may be there. */
export interface Expected {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text is compared as it is, a pattern is searched, an object must be contained in the JSON. */
  readonly body?: string | RegExp | object
}

export function fits(reply: TestResponse, { status, headers = {}, body }: Expected): void {
  assert.is(reply.status, status, `${reply.status}: ${reply.text.slice(0, 300)}`)
  for (const [name, value] of Object.entries(headers)) assert.is(reply.headers[name], value)
  if (typeof body === 'string') assert.is(reply.text, body)
  else if (body instanceof RegExp) assert.match(reply.text, body)
  else if (body !== undefined) contains(reply.json(), body, '')
}

/** Every field of `want` is in `found`; lists have to be as long as wanted. */
export function contains(found: unknown, want: unknown, at: string): void {
  if (want instanceof RegExp) assert.match(String(found), want)
  else if (typeof want !== 'object' || want === null) assert.equal(found, want, at)
  else containsFields(found, want, at)
}

function containsFields(found: unknown, want: object, at: string): void {
  assert.type(found, 'object', `${at} is ${JSON.stringify(found)}`)
  if (Array.isArray(want)) assert.is((found as unknown[]).length, want.length, at)
  for (const [key, value] of Object.entries(want)) {
    contains((found as Record<string, unknown>)[key], value, `${at}.${key}`)
  }
}

/** Sends each request in turn and compares what comes back. */
export type Script = readonly (readonly [fact: string, request: TestRequest, expected: Expected])[]
