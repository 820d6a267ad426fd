import { httpTransport, type Transport } from '../../runtime/client/client.ts'
import { loadConfig } from '../../runtime/connection/connection.ts'
import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'
import type { Step } from './scenario.ts'

/** The answer to a step. */
export interface Answer {
  readonly status: number
  /** The headers that clients act on, by lower-case name. */
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

/** Headers whose difference a client could see. */
const headersThatMatter = ['content-type', 'warning', 'allow', 'location', 'retry-after']

/** The server that an orchconfig file names. */
export async function serverAt(name: string, orchconfig: string): Promise<ComparedServer> {
  return serverOver(name, httpTransport(await loadConfig(orchconfig)))
}

/** A server behind a transport. */
export function serverOver(name: string, transport: Transport): ComparedServer {
  return {
    name,
    run: (steps) => runSteps(transport, steps),
    close: () => transport.close(),
  }
}

async function runSteps(transport: Transport, steps: readonly Step[]): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  const last = { $resourceVersion: '', $uid: '' }
  for (const step of steps) {
    const answer = await awaited(transport, step, last)
    answers.push(answer)
    last.$resourceVersion = firstOf(answer, /"resourceVersion":"(\d+)"/) ?? last.$resourceVersion
    last.$uid = firstOf(answer, /"uid":"([^"]*)"/) ?? last.$uid
  }
  return answers
}

function firstOf({ text }: Answer, pattern: RegExp): string | undefined {
  return pattern.exec(text)?.[1]
}

type Placeholders = Readonly<Record<'$resourceVersion' | '$uid', string>>

/** How often a step is sent that waits for a status, and the milliseconds between. */
const [attempts, pauseMs] = [100, 50]

async function awaited(transport: Transport, step: Step, known: Placeholders): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(transport, step, known)
    if (step.awaits === undefined || step.awaits.includes(answer.status) || attempt === attempts)
      return answer
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

async function send(transport: Transport, step: Step, known: Placeholders): Promise<Answer> {
  const query = new URLSearchParams(filled(step.query ?? {}, known) as Record<string, string>)
  const body = step.text ?? (step.body === undefined ? undefined : written(step.body, known))
  const stop = new AbortController()
  const response = await transport.send({
    method: step.method,
    path: `${step.path}${query.size > 0 ? `?${query}` : ''}`,
    headers: {
      accept: step.accept ?? 'application/json',
      'user-agent': 'compare/1',
      ...(body !== undefined && { 'content-type': step.type ?? 'application/json' }),
    },
    ...(body !== undefined && { body }),
    signal: stop.signal,
  })
  const text = await textOf(response.body, step.until)
  if (step.until !== undefined) stop.abort()
  return { status: response.status, headers: headersOf(response.headers), text }
}

async function textOf(body: AsyncIterable<Uint8Array>, until: Step['until']): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) {
    chunks.push(chunk)
    if (until !== undefined && Buffer.concat(chunks).includes(`"type":"${until}"`)) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function headersOf(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Answer['headers'] {
  const kept = headersThatMatter.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, typeof value === 'string' ? value : value.join('\n')]]
  })
  return Object.fromEntries(kept)
}

/** The text of a body; a string that begins with `$number:` becomes that number, however it is written. */
function written(body: Json, known: Placeholders): string {
  return JSON.stringify(filled(body, known)).replace(/"\$number:([^"]*)"/g, '$1')
}

/** A value with its placeholders filled in. */
function filled(value: Json, known: Placeholders): Json {
  if (typeof value === 'string') return known[value as keyof Placeholders] ?? value
  if (Array.isArray(value)) return value.map((item) => filled(item, known))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, filled(inner as Json, known)])
  return Object.fromEntries(entries) as JsonObject
}
