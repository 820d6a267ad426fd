/** Joins clients with nodes, pods and services (I-06). */
import { posix } from 'node:path'
import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { PassedBack } from '../../aggregator/aggregator.ts'
import { type Random, systemRandom } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ConnectCall, Connector } from '../../server/server.ts'
import { type NodeAccess, usualAddressTypes } from './node-settings.ts'
import { openAddress } from './open-addresses.ts'
import { type Destination, send } from './outgoing.ts'
import { containerSpecs } from './pod-facts.ts'
import { checkLogOptions, containerOf, queryOptions } from './queries.ts'
import { chooseEndpoint, type Place } from './service-endpoints.ts'

/** What requests are passed on with. */
export interface ConnectorOptions {
  readonly registry: () => Registry
  /** Chooses among the endpoints of services. */
  readonly random?: Random
  readonly nodes: NodeAccess
}

/** The default port of agents, for nodes that tell none. */
const agentPort = 10250
/** Bytes of a refusal that are passed back. */
const refusalBytes = 64 * 1024

/** A connector over the objects of a registry. */
export function createConnector(options: ConnectorOptions): Connector {
  const { registry, nodes, random = systemRandom } = options
  const connectMs = nodes.connectMs ?? 5_000

  return async (call) => {
    const { kind, subresource } = call.target
    const query = kind.subresources.find(({ name }) => name === subresource)?.connect ?? ''
    const asked = queryOptions(query, call.query)
    if (subresource !== 'log') await admit(call, asked)
    if (subresource === 'proxy') return proxied(call)
    return subresource === 'log' ? log(call, asked) : stream(call, asked)
  }

  async function admit({ target, user }: ConnectCall, asked: JsonObject): Promise<void> {
    const write = { dryRun: false, fieldValidation: 'Ignore', manager: '', user } as const
    await registry().connect(target, asked, write)
  }

  async function log(call: ConnectCall, asked: JsonObject) {
    const { name } = call.target
    const pod = await podOf(call, name)
    const container = containerOf(specsOf(pod), String(asked.container ?? ''), 'log')
    checkLogOptions(name, asked)
    if (!pod.spec?.nodeName) return { status: 204, headers: {}, body: new Uint8Array(0) }
    const { container: _, insecureSkipTLSVerifyBackend, ...rest } = asked
    const given = queryOf(Object.entries(rest).map(([key, value]) => [key, String(value)]))
    const { namespace = '' } = call.target
    const path = `/containerLogs/${namespace}/${name}/${container}?${given}`
    const to = await agentOf(pod, call, path, insecureSkipTLSVerifyBackend === true)
    const answer = await send(to, { ...call, request: { ...call.request, headers: {} } })
    if (answer.status < 200 || answer.status > 206) throw await refusalOf(answer, call)
    return answer
  }

  async function stream(call: ConnectCall, asked: JsonObject): Promise<PassedBack> {
    const { name, namespace = '', subresource } = call.target
    const pod = await podOf(call, name)
    if (subresource === 'portforward') {
      const ports = [asked.ports ?? []].flat().map((port) => ['port', String(port)] as const)
      return upgraded(call, pod, `/portForward/${namespace}/${name}?${queryOf(ports)}`)
    }
    const { command, container: named, stdin, stdout, stderr, tty } = asked
    const phase = pod.status?.phase
    if (phase === 'Succeeded' || phase === 'Failed') {
      const text = `cannot exec into a container in a completed pod; current phase is ${phase}`
      throw new StatusError('BadRequest', text)
    }
    const container = containerOf(specsOf(pod), String(named ?? ''), 'other')
    const query = queryOf([
      ...(stdin === true ? [['input', '1'] as const] : []),
      ...(stdout === true ? [['output', '1'] as const] : []),
      ...(stderr === true ? [['error', '1'] as const] : []),
      ...(tty === true ? [['tty', '1'] as const] : []),
      ...[command ?? []].flat().map((word) => ['command', String(word)] as const),
    ])
    return upgraded(call, pod, `/${subresource}/${namespace}/${name}/${container}?${query}`)
  }

  async function upgraded(call: ConnectCall, pod: Pod, path: string): Promise<PassedBack> {
    const to = await agentOf(pod, call, path)
    if (!call.upgrades) throw new StatusError('BadRequest', 'Upgrade request required')
    return send(to, call)
  }

  async function proxied(call: ConnectCall) {
    const { rest, request, target } = call
    const { path, query } = splitAt(request.url)
    if (rest === undefined) {
      const location = `${path}/${query}`
      return { status: 301, headers: { Location: location }, body: new Uint8Array(0) }
    }
    // What is asked stays below the path of the proxy, as its reader is told.
    const asked = posix.normalize(rest)
    const to = await destinationOf(target.kind.plural, call, `${asked}${query}`)
    return send({ ...to, prefix: path.endsWith(rest) ? path.slice(0, -rest.length) : path }, call)
  }

  function destinationOf(plural: string, call: ConnectCall, path: string): Promise<Destination> {
    if (plural === 'nodes') return nodeDestination(call, path)
    return plural === 'pods' ? podDestination(call, path) : serviceDestination(call, path)
  }

  /** An agent is asked where it is known to be; other ports of the node, and agents that only the node knows of, have to be outside of this machine. */
  async function nodeDestination(call: ConnectCall, path: string): Promise<Destination> {
    const { scheme, name, port } = partsOf(call.target.name, 'node')
    const node = await nodeOf(call, name)
    const agent = agentPlace(node)
    if (port === '' || port === String(agent.port)) {
      const host = nodes.host ?? (await openAddress(agent.host))
      return agentAt({ ...agent, host }, path)
    }
    const host = await openAddress(addressOf(node))
    return { isSecure: scheme === 'https', host, port: portNumber(port), path, connectMs }
  }

  async function podDestination(call: ConnectCall, path: string): Promise<Destination> {
    const { scheme, name, port } = partsOf(call.target.name, 'pod')
    const pod = await podOf(call, name)
    const declared = (pod.spec?.containers ?? []).flatMap(({ ports = [] }) => ports)
    const first = declared[0]?.containerPort
    const host = await openAddress(pod.status?.podIP ?? '')
    const isSecure = scheme === 'https'
    const number = port === '' ? (first ?? (isSecure ? 443 : 80)) : portNumber(port)
    return { isSecure, host, port: number, path, connectMs }
  }

  async function serviceDestination(call: ConnectCall, path: string): Promise<Destination> {
    const { scheme, name, port } = partsOf(call.target.name, 'service')
    const { namespace = '', kind } = call.target
    const found = (await registry().get({ kind, namespace, name }, {})).object() as {
      readonly spec?: {
        readonly ports?: readonly { readonly name?: string; readonly port: number }[]
      }
    }
    const wanted = portNameOf(found.spec?.ports ?? [], name, port)
    const asked = { namespace, name, port: wanted, asked: call.target.name }
    const place = await chooseEndpoint(registry(), asked, random)
    const host = await openAddress(place.host)
    return { isSecure: scheme === 'https', host, port: place.port, path, connectMs }
  }

  /** An agent that is not known is told of as the pod that it has. */
  async function nodeOfPod(call: ConnectCall, name: string): Promise<Node> {
    return nodeOf(call, name).catch((error: unknown): never => {
      throw isStatus(error, 'NotFound') ? notFound('pods', name) : error
    })
  }

  function specsOf(pod: Pod) {
    const { client, domain, publicDomain = domain } = registry().scheme.platform
    return containerSpecs(pod, `${client}.${publicDomain}`)
  }

  async function podOf({ target }: ConnectCall, name: string): Promise<Pod> {
    const { kind, namespace = '' } = target
    return (await registry().get({ kind, namespace, name }, {})).object() as unknown as Pod
  }

  async function nodeOf(_: ConnectCall, name: string): Promise<Node> {
    const kind = registry().scheme.routes['api/v1/nodes'] as Kind
    return (await registry().get({ kind, name }, {})).object() as unknown as Node
  }

  async function agentOf(
    { metadata, spec }: Pod,
    call: ConnectCall,
    path: string,
    isTrusting = false,
  ): Promise<Destination> {
    const { nodeName = '' } = spec ?? {}
    if (nodeName === '') {
      throw new StatusError('BadRequest', `pod ${metadata?.name} does not have a host assigned`)
    }
    return agentAt(agentPlace(await nodeOfPod(call, nodeName)), path, isTrusting)
  }

  function agentAt({ host, port }: Place, path: string, isTrusting = false): Destination {
    const tls = {
      ...(!isTrusting && nodes.authorities !== undefined && { ca: nodes.authorities }),
      ...(!isTrusting && nodes.certificate),
    }
    return { isSecure: true, host, port, path, tls, connectMs }
  }

  function agentPlace(node: Node): Place {
    const told = node.status?.daemonEndpoints as
      | Readonly<Record<string, { readonly Port: number }>>
      | undefined
    const port = told?.[`${registry().scheme.platform.agent}Endpoint`]?.Port || agentPort
    return { host: nodes.host ?? addressOf(node), port }
  }

  function addressOf({ metadata, status }: Node): string {
    const { addresses = [] } = status ?? {}
    for (const wanted of nodes.addressTypes ?? usualAddressTypes) {
      const found = addresses.find(({ type }) => type === wanted)
      if (found !== undefined) return found.address
    }
    const shown = addresses.map(({ type }) => type).join(' ')
    throw new StatusError(
      'InternalError',
      `no preferred addresses found for node ${JSON.stringify(metadata?.name)}; known addresses: [${shown}]`,
    )
  }
}

/** `<scheme>:<name>:<port>`, of which only the name has to be there. @throws StatusError BadRequest for another form. */
function partsOf(
  text: string,
  kind: 'node' | 'pod' | 'service',
): {
  readonly scheme: string
  readonly name: string
  readonly port: string
} {
  const parts = text.split(':')
  if (parts.length === 1) return { scheme: '', name: text, port: '' }
  const [scheme, name, port] = parts.length === 2 ? ['', ...parts] : parts
  if (parts.length > 3 || !name || !/^(|http|https)$/.test(scheme ?? '')) {
    throw new StatusError('BadRequest', `invalid ${kind} request ${JSON.stringify(text)}`)
  }
  return { scheme: scheme ?? '', name, port: port ?? '' }
}

/** The name of a port of a service, which may be asked for by its number. @throws StatusError ServiceUnavailable for a number that it has not. */
function portNameOf(
  ports: readonly { readonly name?: string; readonly port: number }[],
  service: string,
  port: string,
): string {
  if (!/^\d{1,10}$/.test(port)) return port
  const found = ports.find((one) => one.port === Number(port))
  if (found !== undefined) return found.name ?? ''
  const text = `no service port ${Number(port)} found for service ${JSON.stringify(service)}`
  throw new StatusError('ServiceUnavailable', text)
}

function notFound(kind: string, name: string): StatusError {
  const text = `${kind} ${JSON.stringify(name)} not found`
  return new StatusError('NotFound', text, { details: { name, kind } })
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port < 65536) return port
  throw new StatusError('BadRequest', `invalid port ${JSON.stringify(text)}`)
}

function queryOf(pairs: readonly (readonly [name: string, value: string])[]): string {
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
}

function splitAt(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?')
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at) }
}

/** What the agent said, as an error of this server. */
async function refusalOf(
  { status, message }: PassedBack,
  { target: { name, namespace } }: ConnectCall,
): Promise<StatusError> {
  let text = ''
  for await (const chunk of message) {
    text += String(chunk)
    if (text.length > refusalBytes) break
  }
  const said = text.trim()
  if (status === 400) return new StatusError('BadRequest', said)
  if (status === 404) {
    const details = {
      name,
      kind: 'pods',
      causes: [{ message: said, reason: 'UnexpectedServerResponse' as const }],
    }
    const shown = `the server could not find the requested resource ( pods/log ${name})`
    return new StatusError('NotFound', shown, { details })
  }
  if (status === 403) return new StatusError('Forbidden', said)
  const where = `${namespace}/${name}`
  return new StatusError(
    'InternalError',
    `Internal error occurred: the agent of ${where} says: ${said}`,
  )
}
