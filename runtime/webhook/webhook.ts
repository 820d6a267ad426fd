/**
 * Asking programs that somebody else runs: a JSON question over HTTPS, a JSON answer, a bound on time and size. What is
 * asked, and what an answer means, is for the rooms above: admission asks whether a request may pass, definitions ask
 * for objects in another version.
 */
import type { Agent } from 'node:https'
import type { Clock } from '../kernel/async/clock.ts'
import type { Json } from '../kernel/values/json.ts'
import { decodeJson, encodeJson } from '../serializer/serializer.ts'
import { agentFor, post, type WebhookDestination, type WebhookResponse } from './post.ts'

export { type ClientConfig, checkClientConfig } from './client-config.ts'

/** Where a service of the cluster is reached. */
export interface ServiceEndpoint {
  readonly host: string
  readonly port: number
}

/** Finds where a service is reached; fails where it is not. */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => Promise<ServiceEndpoint>

/** How a webhook is reached, as the objects that name one say it: a URL or a service. */
export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: {
    readonly namespace: string
    readonly name: string
    readonly port?: number
    readonly path?: string
  } | null
  /** PEM in base64: the authorities that the webhook's certificate has to come from. */
  readonly caBundle?: string
}

/** The question was not answered because whoever asked has stopped: nothing is known of the webhook by that. */
export class WebhookClientClosed extends Error {
  override readonly name = 'Stopped'
}

/** The connections to webhooks, kept open between questions, until they are closed for good. */
export class WebhookClient {
  readonly #clock: Clock
  readonly #resolve: ServiceResolver
  readonly #agents = new Map<string, Agent>()
  readonly #end = new AbortController()

  constructor(clock: Clock, resolve: ServiceResolver) {
    this.#clock = clock
    this.#resolve = resolve
  }

  /** The answer to a question. Fails with an Error whose message names the place and what went wrong there. */
  async call(
    address: WebhookClientConfig,
    question: object,
    timeoutSeconds: number,
  ): Promise<Json> {
    const { code, bytes } = await this.#post(address, question, timeoutSeconds).catch((cause) => {
      throw this.#end.signal.aborted
        ? new WebhookClientClosed('the server is shutting down', { cause })
        : cause
    })
    if (code < 200 || code > 206) throw new Error(unsuccessful(code, bytes))
    return decodeResponse(bytes)
  }

  /** Ends the questions that wait for an answer, and any that come later, with Stopped. */
  close(): void {
    this.#end.abort()
    this.#forget()
  }

  #forget(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  async #post(
    address: WebhookClientConfig,
    question: object,
    timeoutSeconds: number,
  ): Promise<WebhookResponse> {
    const { signal } = this.#end
    signal.throwIfAborted()
    const destination = await this.#destination(address, timeoutSeconds)
    return post(destination, encodeJson(question), timeoutSeconds * 1000, this.#clock, signal)
  }

  async #destination(
    { url, service, caBundle = '' }: WebhookClientConfig,
    timeoutSeconds: number,
  ): Promise<WebhookDestination> {
    const agent = this.#agent(caBundle)
    const query = `timeout=${timeoutSeconds}s`
    if (service === undefined || service === null) {
      const place = new URL(url ?? '')
      place.search = query
      const name = place.hostname.replace(/^\[|\]$/g, '')
      return { url: place, shown: place.href, serverName: isAddress(name) ? '' : name, agent }
    }
    const { namespace, name, port = 443, path = '' } = service
    const place = new URL(`https://${name}.${namespace}.svc:${port}/`)
    place.pathname = path
    place.search = query
    const shown = `https://${place.hostname}:${port}${place.pathname}${place.search}`
    const endpoint = await this.#resolve(namespace, name, port).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`Post "${shown}": ${why}`, { cause })
    })
    return { url: place, shown, ...endpoint, serverName: place.hostname, agent }
  }

  /** One agent for each set of authorities, so that connections are used again. */
  #agent(caBundle: string): Agent {
    const known = this.#agents.get(caBundle)
    if (known !== undefined) return known
    if (this.#agents.size >= maxAgents) this.#forget()
    const agent = agentFor(Buffer.from(caBundle, 'base64').toString())
    this.#agents.set(caBundle, agent)
    return agent
  }
}

const maxAgents = 256

function isAddress(name: string): boolean {
  return /^[0-9.]+$/.test(name) || name.includes(':')
}

const decodeLimits = { depth: 1000, values: 1_000_000, items: 20_000, keys: 100_000 }

function decodeResponse(bytes: Buffer): Json {
  try {
    return decodeJson(bytes, decodeLimits).value
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const place = why.replace(/^error decoding JSON: /, '')
    throw new Error(`couldn't get version/kind; json parse error: ${place}`, { cause: error })
  }
}

const phrases: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [409, 'the server reported a conflict'],
  [422, 'the server rejected our request due to an error in our request'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [503, 'the server is currently unable to handle the request'],
  [
    504,
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
])
/** Codes of which the body says more than a phrase could. */
const told: ReadonlySet<number> = new Set([403, 406, 415])

/** Redirections are not followed: who asks has named the place. */
function unsuccessful(code: number, bytes: Buffer): string {
  const said = bytes.toString('utf8', 0, 1000).trim() || 'unknown'
  if (told.has(code)) return said
  const phrase = phrases.get(code)
  if (phrase !== undefined) return phrase
  return code >= 500
    ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`
}
