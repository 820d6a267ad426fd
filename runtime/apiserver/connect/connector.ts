/** Joins clients with nodes, pods and services (I-06). */
import ipaddr from 'ipaddr.js'
import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { PassedBack } from '../../aggregator/aggregator.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ConnectCall, Connector } from '../../server/server.ts'
import type { ServiceResolver } from '../../webhook/webhook.ts'
import { type NodeAccess, usualAddressTypes } from './node-settings.ts'
import { type Destination, send } from './outgoing.ts'
import { containerSpecs } from './pod-facts.ts'
import { checkLogOptions, containerOf, queryOptions } from './queries.ts'

/** What requests are passed on with. */
export interface ConnectorOptions {
  readonly registry: () => Registry
  readonly resolve: ServiceResolver
  readonly nodes: NodeAccess
}

/** The default port of agents, for nodes that tell none. */
const agentPort = 10250
/** Bytes of a refusal that are passed back. */
const refusalBytes = 64 * 1024

/** A connector over the objects of a registry. */
export function createConnector(options: ConnectorOptions): Connector {
  const { registry, nodes } = options
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

  async function log(call: ConnectCall, asked: JsonObject): Promise<PassedBack> {
    const { name } = call.target
    const pod = await podOf(call, name)
    const container = containerOf(specsOf(pod), String(asked.container ?? ''), 'log')
    checkLogOptions(name, asked)
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
      const headers = { Location: location, 'Content-Type': 'text/plain' }
      return { status: 301, headers, body: new Uint8Array(0) }
    }
    return send(await destinationOf(target.kind.plural, call, `${rest}${query}`), call)
  }

  function destinationOf(plural: string, call: ConnectCall, path: string): Promise<Destination> {
    if (plural === 'nodes') return nodeDestination(call, path)
    return plural === 'pods' ? podDestination(call, path) : serviceDestination(call, path)
  }

  async function nodeDestination(call: ConnectCall, path: string): Promise<Destination> {
    const { scheme, name, port } = partsOf(call.target.name)
    const node = await nodeOf(call, name)
    const own = addressOf(node)
    if (port === '' || port === String(own.port)) return agentAt(own, path)
    const host = allowedHost(own.host)
    return { isSecure: scheme === 'https', host, port: portNumber(port), path, connectMs }
  }

  async function podDestination(call: ConnectCall, path: string): Promise<Destination> {
    const { scheme, name, port } = partsOf(call.target.name)
    const pod = await podOf(call, name)
    const declared = (pod.spec?.containers ?? []).flatMap(({ ports = [] }) => ports)
    const first = declared[0]?.containerPort
    const host = allowedHost(pod.status?.podIP ?? '')
    const isSecure = scheme === 'https'
    const number = port === '' ? (first ?? (isSecure ? 443 : 80)) : portNumber(port)
    return { isSecure, host, port: number, path, connectMs }
  }

  async function serviceDestination(call: ConnectCall, path: string): Promise<Destination> {
    const { scheme, name, port } = partsOf(call.target.name)
    const { namespace = '', kind } = call.target
    const found = (await registry().get({ kind, namespace, name }, {})).object() as {
      readonly spec?: {
        readonly ports?: readonly { readonly name?: string; readonly port: number }[]
      }
    }
    const ports = found.spec?.ports ?? []
    const wanted =
      port === ''
        ? ports.length === 1
          ? ports[0]
          : ports.find((one) => (one.name ?? '') === '')
        : ports.find((one) => one.name === port || String(one.port) === port)
    if (wanted === undefined) {
      const text = `no service port ${JSON.stringify(port)} found for service ${JSON.stringify(name)}`
      throw new StatusError('ServiceUnavailable', text)
    }
    const place = await options
      .resolve(namespace, name, wanted.port)
      .catch((cause: unknown): never => {
        throw new StatusError('ServiceUnavailable', errorText(cause))
      })
    const host = allowedHost(place.host)
    return { isSecure: scheme === 'https', host, port: place.port, path, connectMs }
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
    return agentAt(addressOf(await nodeOf(call, nodeName)), path, isTrusting)
  }

  function agentAt(
    { host, port }: { readonly host: string; readonly port: number },
    path: string,
    isTrusting = false,
  ): Destination {
    const tls = {
      ...(!isTrusting && nodes.authorities !== undefined && { ca: nodes.authorities }),
      ...(!isTrusting && nodes.certificate),
    }
    return { isSecure: true, host, port, path, tls, connectMs }
  }

  function addressOf({ metadata, status }: Node): { readonly host: string; readonly port: number } {
    const { daemonEndpoints, addresses = [] } = status ?? {}
    const told = daemonEndpoints as Readonly<Record<string, { readonly Port: number }>> | undefined
    const port = told?.[`${registry().scheme.platform.agent}Endpoint`]?.Port || agentPort
    if (nodes.host !== undefined) return { host: nodes.host, port }
    for (const wanted of nodes.addressTypes ?? usualAddressTypes) {
      const found = addresses.find(({ type }) => type === wanted)
      if (found !== undefined) return { host: found.address, port }
    }
    const shown = addresses.map(({ type }) => type).join(' ')
    throw new StatusError(
      'InternalError',
      `no preferred addresses found for node ${JSON.stringify(metadata?.name)}; known addresses: [${shown}]`,
    )
  }
}

/** `<scheme>:<name>:<port>`, of which only the name has to be there. @throws StatusError BadRequest for another form. */
function partsOf(text: string): {
  readonly scheme: string
  readonly name: string
  readonly port: string
} {
  const parts = text.split(':')
  if (parts.length === 1) return { scheme: '', name: text, port: '' }
  const [scheme, name, port] = parts.length === 2 ? ['', ...parts] : parts
  if (parts.length > 3 || !name || !/^(|http|https)$/.test(scheme ?? '')) {
    throw new StatusError('BadRequest', `invalid request ${JSON.stringify(text)}`)
  }
  return { scheme: scheme ?? '', name, port: port ?? '' }
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port < 65536) return port
  throw new StatusError('BadRequest', `invalid port ${JSON.stringify(text)}`)
}

const closedRanges: ReadonlySet<string> = new Set([
  'loopback',
  'linkLocal',
  'unspecified',
  'multicast',
])

/** An address that clients may have this server ask. @throws StatusError BadRequest for one of the server's own machine or link. */
function allowedHost(host: string): string {
  const isOpen = !ipaddr.isValid(host) || !closedRanges.has(ipaddr.process(host).range())
  if (host !== '' && isOpen && host !== 'localhost') return host
  throw new StatusError('BadRequest', 'address not allowed')
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
