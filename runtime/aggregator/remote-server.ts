/** One group version for which another server answers: its connections, what is known of it, and requests that are passed on. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { readCertificates } from '../certificates/certificates.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { UserInfo } from '../kernel/auth/user-info.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import type { Log } from '../observe/observe.ts'
import type { ServiceResolver } from '../webhook/webhook.ts'
import { addressText } from './connection-errors.ts'
import { checkDiscovery } from './discovery-check.ts'
import {
  answeredHeaders,
  goesInCircle,
  type PassedRequest,
  passedHeaders,
} from './identity-headers.ts'
import { type ProxyCertificate, RemoteConnection, UnreachableError } from './remote-connection.ts'
import { type RemoteResources, resourcesOf, resourcesOfList } from './remote-discovery.ts'
import { type DocumentRequest, fetchDocument, readDocument } from './remote-document.ts'
import { fetchSchema, type RemoteSchema } from './remote-schema.ts'
import { type RemoteVersion, remotePath } from './remote-version.ts'

/** What all other servers are asked with. */
export interface RemoteSurroundings {
  readonly resolve: ServiceResolver
  readonly clock: Clock
  readonly log: Log
  /** The certificate by which other servers know this one now; undefined for none. */
  readonly certificate: () => ProxyCertificate | undefined
  /** The platform's word in names of users. */
  readonly prefix: string
  /** The names of the group of aggregated discovery. */
  readonly discoveryGroups: readonly string[]
  /** False: answers that send clients elsewhere are not passed back. */
  readonly passesRedirects: boolean
  /** Ends whatever is asked for. */
  readonly signal: AbortSignal
}

/** A request that is passed on, and who made it. */
export interface PassedOn {
  readonly request: PassedRequest
  readonly user: UserInfo
  readonly auditId: string
  /** True for a request that turns its connection into one of another protocol. */
  readonly upgrades: boolean
  /** Ends the request and its answer. */
  readonly signal: AbortSignal
}

/** The answer of another server, as it is passed back. */
export interface PassedBack {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The body as it arrives. */
  readonly message: IncomingMessage
  /** The connection that goes on as another protocol, with what came of it already. */
  readonly tunnel?: { readonly socket: Duplex; readonly head: Buffer }
}

/** Whether what is known of a server's resources is what it says now. */
export interface RemoteDiscovery {
  readonly isCurrent: boolean
  readonly resources: RemoteResources
}

const discoveryTimeoutMs = 5000
const schemaTimeoutMs = 60_000
const discoveryBytes = 4 * 1024 * 1024

/** A group version of another server. */
export class RemoteServer {
  readonly version: RemoteVersion
  readonly #around: RemoteSurroundings
  #connections: Connections
  #problems: readonly string[] | undefined
  /** Undefined until it was asked. */
  discovery: RemoteDiscovery | undefined
  schema: RemoteSchema | undefined

  constructor(version: RemoteVersion, around: RemoteSurroundings, before?: RemoteServer) {
    this.version = version
    this.#around = around
    const isReached = before !== undefined && isSamePlace(before.version, version)
    this.#connections = isReached ? before.#connections : connect(version, around.certificate())
    if (!isReached) before?.retire()
    this.discovery = before?.discovery
    this.schema = before?.schema
  }

  /** @throws UnreachableError that says why there is no answer; its message is for the client. */
  async passOn({ request, user, auditId, upgrades, signal }: PassedOn): Promise<PassedBack> {
    if (goesInCircle(request)) throw new UnreachableError('the request goes in a circle')
    this.#checkAuthorities()
    const endpoint = await this.#endpoint().catch((cause: unknown) => {
      this.#around.log.error('service of a group version not found', this.#facts, cause)
      throw new ServiceUnavailable()
    })
    const host = addressText(endpoint.host, endpoint.port)
    const { method, headers: given } = request
    const headers = tried(() => passedHeaders(request, { user, auditId, host }))
    const answer = await this.#connected().verifying.ask(endpoint, {
      ...{ method, path: request.url, signal },
      headers: upgrades
        ? { ...headers, connection: 'Upgrade', upgrade: String(given.upgrade) }
        : headers,
      ...bodyOf(request, upgrades),
    })
    const { message } = answer
    const isTunnel = 'tunnel' in answer
    return {
      status: message.statusCode ?? 0,
      headers: answeredHeaders(message.rawHeaders, isTunnel),
      message,
      ...(isTunnel && { tunnel: { socket: answer.tunnel, head: answer.head } }),
    }
  }

  get passesRedirects(): boolean {
    return this.#around.passesRedirects
  }

  /** Why the server is taken to be away; undefined if it answers. Its certificate is not looked at. */
  check(): Promise<string | undefined> {
    const { clock, signal, prefix } = this.#around
    return checkDiscovery(this.version, {
      source: { connection: this.#connected().trusting, clock, signal },
      resolve: () => this.#endpoint(),
      username: `system:${prefix}-aggregator`,
    })
  }

  /** Asks for what it serves, and for its schemas. True if something is known now that was not, or other than it was. */
  async refresh(): Promise<boolean> {
    const [discovery, schema] = [this.discovery, this.schema]
    this.discovery = await this.#fetchDiscovery()
    if (this.version.isAvailable) await this.#refreshSchema()
    return JSON.stringify(discovery) !== JSON.stringify(this.discovery) || schema !== this.schema
  }

  /** Requests that are under way go on. */
  retire(): void {
    this.#connections.verifying.retire()
    this.#connections.trusting.retire()
  }

  /** Requests that are under way end. */
  close(): void {
    this.#connections.verifying.close()
    this.#connections.trusting.close()
  }

  /** @throws a WrongAuthorities for an object whose bundle holds no certificates. */
  #checkAuthorities(): void {
    const { authorities, insecure } = this.version
    if (authorities === '' || insecure) return
    this.#problems ??= readCertificates(authorities).problems
    if (this.#problems.length > 0) throw new WrongAuthorities(wrongAuthorities)
  }

  get #facts() {
    return { apiService: this.version.name }
  }

  #endpoint() {
    const { namespace, name, port } = this.version.service
    return this.#around.resolve(namespace, name, port)
  }

  /** A changed certificate counts for requests from then on. */
  #connected(): Connections {
    const certificate = this.#around.certificate()
    if (certificate !== this.#connections.certificate) {
      this.retire()
      this.#connections = connect(this.version, certificate)
    }
    return this.#connections
  }

  async #ask(request: DocumentRequest) {
    const { clock, signal } = this.#around
    const connection = this.#connected().verifying
    return fetchDocument({ connection, endpoint: await this.#endpoint(), clock, signal }, request)
  }

  /** A server that cannot be asked keeps what it had, which is stale. */
  async #fetchDiscovery(): Promise<RemoteDiscovery> {
    try {
      return { isCurrent: true, resources: await this.#fetchResources() }
    } catch (error) {
      const reason = errorText(error)
      this.#around.log.debug('discovery of another server failed', { ...this.#facts, reason })
      return { isCurrent: false, resources: this.discovery?.resources ?? [] }
    }
  }

  async #fetchResources(): Promise<RemoteResources> {
    const { discoveryGroups, prefix } = this.#around
    const { group, version } = this.version
    const bounds = { timeoutMs: discoveryTimeoutMs, maxBytes: discoveryBytes }
    const username = `system:${prefix}-aggregator`
    const types = discoveryGroups.map(
      (one) => `application/json;g=${one};v=v2beta1;as=APIGroupDiscoveryList`,
    )
    const user = { username, groups: ['system:masters'] }
    const together = await this.#ask({ ...bounds, path: '/apis', user, accept: types.join() })
    if (together.status === 503) throw new Error('the answer has status 503')
    if (together.status === 200 && together.contentType.includes('as=APIGroupDiscoveryList')) {
      return resourcesOf(readDocument(together), group, version) ?? []
    }
    const list = await this.#ask({
      ...bounds,
      path: `/${remotePath(this.version)}`,
      user: { username, groups: [] },
      accept: 'application/json',
    })
    if (list.status !== 200) throw new Error(`the answer has status ${list.status}`)
    return resourcesOfList(readDocument(list))
  }

  async #refreshSchema(): Promise<void> {
    const user = { username: 'system:aggregator', groups: [] }
    try {
      this.schema = await fetchSchema(this.version, this.schema, (request) =>
        this.#ask({ ...request, user, accept: 'application/json', timeoutMs: schemaTimeoutMs }),
      )
    } catch (error) {
      const reason = errorText(error)
      this.#around.log.warn('schemas of another server not read', { ...this.#facts, reason })
    }
  }
}

/** Connections to one server; those that take any certificate are for its health alone. */
interface Connections {
  readonly verifying: RemoteConnection
  readonly trusting: RemoteConnection
  readonly certificate: ProxyCertificate | undefined
}

function connect(version: RemoteVersion, certificate: ProxyCertificate | undefined): Connections {
  return {
    verifying: new RemoteConnection(version, certificate),
    trusting: new RemoteConnection(version, certificate, true),
    certificate,
  }
}

/** True where connections of one serve for the other. */
function isSamePlace(a: RemoteVersion, b: RemoteVersion): boolean {
  return (
    deepEqual(a.service, b.service) && a.authorities === b.authorities && a.insecure === b.insecure
  )
}

const wrongAuthorities = 'unable to load root certificates: unable to parse bytes as PEM block'

/** The object says nothing by which the server could be known. */
export class WrongAuthorities extends Error {}

/** The service cannot be found: clients are not told why. */
export class ServiceUnavailable extends Error {}

/** @throws UnreachableError for what cannot be said in headers. */
function tried<T>(make: () => T): T {
  try {
    return make()
  } catch (cause) {
    throw new UnreachableError(errorText(cause), { cause })
  }
}

/** A request without a body has none to wait for, so that it may be repeated. */
function bodyOf({ headers, received, body }: PassedRequest, upgrades: boolean) {
  if (received !== undefined) return { body: received }
  const hasBody = (headers['transfer-encoding'] ?? headers['content-length'] ?? '0') !== '0'
  return upgrades || !hasBody ? {} : { body }
}
