/** Asking one webhook about one request. */
import type { Agent } from 'node:https'
import { decodeJson, encode } from '../../codec/codec.ts'
import type { Json } from '../../kernel/json.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import type { Subject } from '../attempt.ts'
import type { World } from '../world.ts'
import { CallFailure, noDryRun } from './failure.ts'
import type { Hook } from './hook.ts'
import { agentFor, type Destination, post } from './post.ts'
import { type Answer, answerOf, reviewOf, reviewVersion } from './review.ts'

/** A request as a webhook sees it. */
export interface Shown {
  readonly asked: AnyKind
  readonly kind: AnyKind
  readonly object?: ApiObject
  readonly old?: ApiObject
}

/** The request in the version that the webhook registered for. */
export function shownAs({ convert }: World, asked: AnyKind, subject: Subject): Shown {
  const { resource, kind, object, old } = subject
  const same = asked === resource || kind !== resource
  const seen = (one: ApiObject) => (same ? one : convert(one, kind, asked))
  return {
    asked,
    kind: same ? kind : asked,
    ...(object && { object: seen(object) }),
    ...(old && { old: seen(old) }),
  }
}

/** The webhooks' side of a server: who asks, over which connections. */
export class Caller {
  readonly #world: World
  readonly #agents = new Map<string, Agent>()

  constructor(world: World) {
    this.#world = world
  }

  /** What the webhook says. Fails with a CallFailure if it says nothing that can be understood. */
  async ask(hook: Hook, subject: Subject, shown: Shown, mutating: boolean): Promise<Answer> {
    if (subject.dryRun && !hook.harmless) throw noDryRun(hook.name)
    const { platform } = this.#world.tree
    const version = reviewVersion(hook.versions)
    if (version === undefined) {
      const why =
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)'
      throw new CallFailure(hook.name, why)
    }
    const question = { ...shown, uid: this.#world.uid(), version }
    const review = await this.#post(hook, reviewOf(platform, subject, question))
    const answer = answerOf(platform, review, question, mutating)
    if (typeof answer === 'string') throw new CallFailure(hook.name, answer)
    return answer
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  async #post(hook: Hook, review: object): Promise<Json> {
    try {
      const destination = await this.#destination(hook)
      const { code, bytes } = await post(
        destination,
        encode(review),
        hook.timeoutSeconds * 1000,
        this.#world.clock,
      )
      if (code < 200 || code > 206) throw new Error(unsuccessful(code, bytes))
      return read(bytes)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new CallFailure(hook.name, `failed to call webhook: ${why}`)
    }
  }

  async #destination({ client, timeoutSeconds }: Hook): Promise<Destination> {
    const { url, service, caBundle } = client
    const agent = this.#agent(caBundle ?? '')
    const query = `timeout=${timeoutSeconds}s`
    if (service === undefined || service === null) {
      const place = new URL(url ?? '')
      place.search = query
      const name = place.hostname.replace(/^\[|\]$/g, '')
      return { url: place, serverName: isAddress(name) ? '' : name, agent }
    }
    const { namespace, name, port = 443, path = '' } = service
    const place = new URL(`https://${name}.${namespace}.svc:${port}/`)
    place.pathname = path
    place.search = query
    const endpoint = await this.#world.resolve(namespace, name, port)
    return { url: place, ...endpoint, serverName: place.hostname, agent }
  }

  /** One agent for each set of authorities, so that connections are used again. */
  #agent(caBundle: string): Agent {
    const known = this.#agents.get(caBundle)
    if (known !== undefined) return known
    if (this.#agents.size >= mostAgents) this.close()
    const agent = agentFor(Buffer.from(caBundle, 'base64').toString())
    this.#agents.set(caBundle, agent)
    return agent
  }
}

const mostAgents = 256

function isAddress(name: string): boolean {
  return /^[0-9.]+$/.test(name) || name.includes(':')
}

const limits = { depth: 1000, values: 1_000_000, items: 20_000, keys: 100_000 }

function read(bytes: Buffer): Json {
  try {
    return decodeJson(bytes, limits).value
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`couldn't get version/kind; json parse error: ${why}`)
  }
}

const phrases: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [403, 'the server does not allow this method on the requested resource'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [503, 'the server is currently unable to handle the request'],
])

function unsuccessful(code: number, bytes: Buffer): string {
  const said = JSON.stringify(bytes.toString('utf8', 0, 1000).trim() || 'unknown')
  return (
    phrases.get(code) ??
    `an error on the server (${said}) has prevented the request from succeeding`
  )
}
