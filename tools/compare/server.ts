import { gunzipSync } from 'node:zlib'
import {
  httpTransport,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../runtime/client/client.ts'
import { loadConfig } from '../../runtime/connection/connection.ts'
import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'
import type { ProtobufCodec } from '../../runtime/serializer/serializer.ts'
import { comparedHeaders } from './headers.ts'
import { protobufBody, protobufText, protobufType } from './protobuf.ts'
import type { Step } from './scenario.ts'

/** The answer to a step. */
export interface Answer {
  readonly status: number
  /** By lower-case name; see `comparedHeaders`. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A server under comparison. */
export interface ComparedServer {
  readonly name: string
  /** Sends the steps of one scenario in order. */
  run(steps: readonly Step[]): Promise<readonly Answer[]>
  close(): Promise<void>
}

/** The server that an orchconfig file names; headers are compared as HTTP/1.1 has them. */
export async function serverAt(
  name: string,
  orchconfig: string,
  codec: ProtobufCodec,
): Promise<ComparedServer> {
  return serverOver(name, httpTransport({ ...(await loadConfig(orchconfig)), http2: false }), codec)
}

/** A server behind a transport; the codec writes and reads what is Protobuf. */
export function serverOver(
  name: string,
  transport: Transport,
  codec: ProtobufCodec,
): ComparedServer {
  return {
    name,
    run: (steps) => runSteps({ transport, codec }, steps),
    close: () => transport.close(),
  }
}

/** How a server is reached, and what writes and reads Protobuf. */
interface Link {
  readonly transport: Transport
  readonly codec: ProtobufCodec
}

/** Runs steps in order; later ones may name what earlier answers held. */
async function runSteps(link: Link, steps: readonly Step[]): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  const known: Known = {
    $resourceVersion: '',
    $uid: '',
    $firstRevision: '',
    $etag: '',
    $continue: '',
  }
  for (const step of steps) {
    if (step.awaits !== undefined && wasRefused(answers.at(-1))) {
      return [...answers, ...steps.slice(answers.length).map(() => notSent)]
    }
    const answer = await awaited(link, step, known)
    answers.push(answer)
    learn(known, answer)
  }
  return answers
}

/** True for an answer after which nothing comes that could be waited for: what exists already may still come. */
function wasRefused(answer: Answer | undefined): boolean {
  return answer !== undefined && answer.status >= 400 && answer.status !== 409
}

/** What steps may name in place of a value that each server chooses. */
type Known = Record<'$resourceVersion' | '$uid' | '$firstRevision' | '$etag' | '$continue', string>

/** Takes from an answer what later steps may name. */
function learn(known: Known, { text, etag = '' }: Sent): void {
  known.$resourceVersion = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? known.$resourceVersion
  known.$uid = /"uid":"([^"]*)"/.exec(text)?.[1] ?? known.$uid
  known.$continue = /"continue":"([^"]*)"/.exec(text)?.[1] ?? known.$continue
  known.$firstRevision ||= known.$resourceVersion
  known.$etag = etag || known.$etag
}

/** An answer with its entity tag, which differs between servers. */
interface Sent extends Answer {
  readonly etag?: string
}

/** In place of the events of an object that was never made. */
const notSent: Sent = { status: 0, headers: {}, text: '' }

/** How often a step is sent that waits for a status, and the milliseconds between. */
const [attempts, pauseMs] = [100, 50]

/** The answer of a step, or of its last repetition where it waits for a status that does not come. */
async function awaited(link: Link, step: Step, known: Known): Promise<Sent> {
  if (step.until !== undefined && known.$firstRevision === '') return notSent
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(link, step, known).catch(brokenBy)
    if (step.awaits === undefined || step.awaits.includes(answer.status) || attempt === attempts)
      return answer
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** The answer of a server that breaks the connection. */
function brokenBy(error: Error): Sent {
  return { status: 0, headers: {}, text: `no answer: ${error.message}` }
}

/** Sends one step. Of a watch as much is read as the step names. */
async function send({ transport, codec }: Link, step: Step, known: Known): Promise<Sent> {
  const query = new URLSearchParams(filled(step.query ?? {}, known) as Record<string, string>)
  const body = bodyOf(step, known, codec)
  const stop = new AbortController()
  const response = await transport.send({
    method: step.method as TransportRequest['method'],
    path: `${step.path}${query.size > 0 ? `${step.path.includes('?') ? '&' : '?'}${query}` : ''}`,
    headers: {
      ...(step.accept !== '' && { accept: step.accept ?? 'application/json' }),
      'user-agent': 'compare/1',
      ...(body !== undefined && { 'content-type': step.type ?? 'application/json' }),
      ...(filled(step.headers ?? {}, known) as Record<string, string>),
    },
    ...(body !== undefined && { body }),
    signal: stop.signal,
  })
  const { status, headers } = response
  const unread = step.headOnly === true && status < 400
  const text = unread ? '' : await textOf(response, step.until, codec)
  if (unread || step.until !== undefined) stop.abort()
  const { etag } = headers
  return { status, headers: comparedHeaders(headers), text, ...(etag && { etag: String(etag) }) }
}

/** The text of a body, up to the event of a watch that ends it. */
async function textOf(
  { headers, body }: TransportResponse,
  until: Step['until'],
  codec: ProtobufCodec,
): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) {
    chunks.push(chunk)
    if (until !== undefined && holdsEvent(Buffer.concat(chunks), until)) break
  }
  const bytes = Buffer.concat(chunks)
  const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
  const type = String(headers['content-type'])
  return type.startsWith(protobufType)
    ? protobufText(codec, plain, type.includes('stream=watch'))
    : plain.toString('utf8')
}

/** True if an event of this type is there to its end. */
function holdsEvent(bytes: Buffer, type: string): boolean {
  const at = bytes.indexOf(`"type":"${type}"`)
  return at >= 0 && bytes.indexOf('\n', at) >= 0
}

/** The body of a step as it is sent; undefined for none. */
function bodyOf(
  { text, body, type }: Step,
  known: Known,
  codec: ProtobufCodec,
): string | Uint8Array | undefined {
  if (text !== undefined || body === undefined) return text
  return type === protobufType
    ? protobufBody(codec, filled(body, known) as JsonObject)
    : written(body, known)
}

/** The text of a body; a string that begins with `$number:` becomes that number, however it is written. */
function written(body: Json, known: Known): string {
  return JSON.stringify(filled(body, known)).replace(/"\$number:([^"]*)"/g, '$1')
}

/** A value with its placeholders filled in. */
function filled(value: Json, known: Known): Json {
  if (typeof value === 'string') return known[value as keyof Known] ?? value
  if (Array.isArray(value)) return value.map((item) => filled(item, known))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, filled(inner as Json, known)])
  return Object.fromEntries(entries) as JsonObject
}
