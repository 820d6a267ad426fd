import type { Agent } from 'node:https'
import type { WebhookClientConfig } from '../../generated/apis/admissionregistration/v1/webhook.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import type { Json } from '../kernel/values/json.ts'
import { decodeJson, encodeJson, typeMetaProblem } from '../serializer/serializer.ts'
import { destinationOf, type ServiceResolver } from './destination.ts'
import { agentFor, post, type WebhookResponse } from './post.ts'

/** The error of calls that end because the client is closed. It says nothing about the webhook. */
export class WebhookClientClosed extends Error {
  override readonly name = 'WebhookClientClosed'
}

/** Bound on the agents that are kept, one for each CA bundle. */
const maxAgents = 256

/** Calls webhooks over connections that stay open between calls. */
export class WebhookClient {
  readonly #clock: Clock
  readonly #resolve: ServiceResolver
  /** Says who asks, also where it is no admission: webhooks know the public server by it. */
  readonly #userAgent: string
  readonly #agents = new Map<string, Agent>()
  readonly #closed = new AbortController()

  constructor(clock: Clock, resolve: ServiceResolver, { prefix }: Pick<Platform, 'prefix'>) {
    this.#clock = clock
    this.#resolve = resolve
    this.#userAgent = `${prefix}-apiserver-admission`
  }

  /**
   * Sends the body as JSON, with further headers, and returns the JSON of the response.
   *
   * The codes 200 to 206 are successes. There is no second attempt, other than over a connection
   * that had gone stale (`post.ts`).
   *
   * @throws WebhookClientClosed if the client is closed, before or during the call
   * @throws Error with a message that names the URL and the reason, for every other failure
   */
  async call(
    config: WebhookClientConfig,
    body: object,
    timeoutSeconds: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Json> {
    const { code, bytes, mediaType } = await this.#post(
      config,
      body,
      timeoutSeconds,
      headers,
    ).catch((cause) => {
      const { aborted } = this.#closed.signal
      throw aborted ? new WebhookClientClosed('the server is shutting down', { cause }) : cause
    })
    // Redirects are failures too: the configuration names the place that may see the request.
    if (code < 200 || code > 206) throw new Error(failureMessage(code, bytes))
    if (bytes.length === 0) {
      throw new Error(`0-length response with status code: ${code} and content type: ${mediaType}`)
    }
    return decodeResponse(bytes)
  }

  /** Ends pending and later calls with WebhookClientClosed, and closes the connections. */
  close(): void {
    this.#closed.abort()
    this.#destroyAgents()
  }

  async #post(
    config: WebhookClientConfig,
    body: object,
    timeoutSeconds: number,
    headers: Readonly<Record<string, string>>,
  ): Promise<WebhookResponse> {
    const { signal } = this.#closed
    signal.throwIfAborted()
    const agent = this.#agentFor(config.caBundle ?? '')
    const destination = await destinationOf(config, timeoutSeconds, agent, this.#resolve)
    const options = {
      timeoutMs: timeoutSeconds * 1000,
      clock: this.#clock,
      signal,
      userAgent: this.#userAgent,
      headers,
    }
    return post(destination, encodeJson(body), options)
  }

  /**
   * Connections are shared by all webhooks with the same CA bundle. One bundle too many ends all
   * connections, calls under way included; there are hardly more bundles than webhooks.
   */
  #agentFor(caBundle: string): Agent {
    const known = this.#agents.get(caBundle)
    if (known !== undefined) return known
    if (this.#agents.size >= maxAgents) this.#destroyAgents()
    const agent = agentFor(Buffer.from(caBundle, 'base64').toString())
    this.#agents.set(caBundle, agent)
    return agent
  }

  #destroyAgents(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }
}

/** Bounds on the JSON of a response: nesting, values, items of a list, keys of an object. */
const decodeLimits = { depth: 1000, values: 1_000_000, items: 20_000, keys: 100_000 }

function decodeResponse(bytes: Buffer): Json {
  const value = parsed(bytes)
  const problem = typeMetaProblem(value)
  if (problem !== undefined) throw new Error(problem)
  return value
}

function parsed(bytes: Buffer): Json {
  try {
    return decodeJson(bytes, decodeLimits).value
  } catch (error) {
    const message = errorText(error)
    const reason = message.replace(/^error decoding JSON: /, '')
    throw new Error(`couldn't get version/kind; json parse error: ${reason}`, { cause: error })
  }
}

const messages: ReadonlyMap<number, string> = new Map([
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

/** Codes for which the body of the response is the message. */
const codesWithBody: ReadonlySet<number> = new Set([403, 406, 415])

/**
 * Of the body at most 1000 bytes are shown. The words are those that client libraries have for the
 * codes.
 */
function failureMessage(code: number, bytes: Buffer): string {
  const body = bytes.toString('utf8', 0, 1000).trim() || 'unknown'
  if (codesWithBody.has(code)) return body
  const message = messages.get(code)
  if (message !== undefined) return message
  return code >= 500
    ? `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`
}
