import type { Awaitable } from '../kernel/awaitable.ts'
import { groupNames } from '../kernel/platform.ts'
import type { Target } from '../registry/registry.ts'
import { type Asked, allowed } from './asked.ts'
import type { Core } from './core.ts'
import { coreVersions, servedGroups } from './discovery.ts'
import { documentAnswer, documentOf, taggedAnswer } from './document.ts'
import { aggregatedVersions } from './documents.ts'
import { type Answer, headerOf, type Incoming, textAnswer } from './exchange.ts'
import { healthAnswer, isHealthEndpoint } from './health.ts'
import { parseAccept } from './media.ts'
import { metricsAnswer } from './metrics.ts'
import type { Query } from './query.ts'
import { verbs } from './verbs.ts'

/** Answers a request, or fails with what `toStatus` translates. */
export function route(
  core: Core,
  request: Incoming,
  asked: Asked,
  audit: string,
): Awaitable<Answer> {
  const { target, verb, segments, query } = asked
  if (segments === undefined) return notFound()
  if (target === undefined) return other(core, request, segments, query)
  if (verb === undefined) return wrongMethod(target)
  return verbs[verb]({ core, request, audit, caller: asked.caller, target, query })
}

const methods: Readonly<Record<string, (target: Target) => boolean>> = {
  GET: (target) => allowed(target, target.name === undefined ? 'list' : 'get'),
  POST: (target) =>
    (target.name === undefined || target.subresource !== undefined) && allowed(target, 'create'),
  PUT: (target) => target.name !== undefined && allowed(target, 'update'),
  PATCH: (target) => target.name !== undefined && allowed(target, 'patch'),
  DELETE: (target) => allowed(target, target.name === undefined ? 'deletecollection' : 'delete'),
}

function wrongMethod(target: Target): Answer {
  const Allow = Object.keys(methods).filter((method) => methods[method]?.(target))
  return textAnswer(405, '405: Method Not Allowed', { Allow: Allow.join(', ') })
}

function notFound(): Answer {
  return textAnswer(404, '404 page not found\n')
}

/** Everything that is no resource: discovery, schema documents, health, version. All of it is read only. */
async function other(
  core: Core,
  request: Incoming,
  segments: readonly string[],
  query: Query,
): Promise<Answer> {
  const answer = await readOnly(core, request, segments, query)
  if (answer === undefined) return notFound()
  if (request.method === 'GET' || request.method === 'HEAD') return answer
  return textAnswer(405, '405: Method Not Allowed', { Allow: 'GET, HEAD' })
}

async function readOnly(
  core: Core,
  request: Incoming,
  segments: readonly string[],
  query: Query,
): Promise<Answer | undefined> {
  const [first, ...rest] = segments
  const path = segments.join('/')
  if (isHealthEndpoint(first)) {
    return healthAnswer(first, rest.join('/'), query, core.checks, core)
  }
  if (first === 'metrics') return metricsAnswer(core, request, rest)
  if (path === 'openapi/v2') return core.schemas.v2(request)
  if (first === 'openapi' && rest[0] === 'v3') {
    return core.schemas.v3(request, rest.slice(1).join('/'), query)
  }
  const apis = path === 'api' || path === 'apis'
  const together = apis ? await aggregatedAnswer(core, request, path) : undefined
  if (together !== undefined) return together
  if (path === 'api') {
    const document = documentOf(coreDocument(core, request))
    return documentAnswer(request, query, document, core.binary)
  }
  const document = core.documents.get(path)
  return document && documentAnswer(request, query, await document(), core.binary)
}

function coreDocument({ tree, routes }: Core, request: Incoming): object {
  return coreVersions(servedGroups(tree, routes), headerOf(request, 'host') ?? 'localhost')
}

/** The aggregated form of discovery, if the client names it before the plain one. */
async function aggregatedAnswer(
  core: Core,
  request: Incoming,
  path: string,
): Promise<Answer | undefined> {
  const groups = groupNames('apidiscovery', core.tree.platform)
  const wanted = wantedForm(headerOf(request, 'accept') ?? '', groups)
  if (wanted === undefined) return undefined
  const document = await core.documents.get(`${path};${wanted.group}/${wanted.version}`)?.()
  if (document === undefined) return undefined
  const headers = {
    'Content-Type': `application/json;g=${wanted.group};v=${wanted.version};as=APIGroupDiscoveryList`,
    'Cache-Control': 'public',
    Vary: 'Accept',
  }
  return taggedAnswer(request, document.hash, headers, document.bytes)
}

interface AggregatedForm {
  readonly group: string
  readonly version: string
}

function wantedForm(accept: string, groups: readonly string[]): AggregatedForm | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== 'application/json') continue
    if (!parameters.has('as')) return undefined
    if (parameters.get('as') !== 'APIGroupDiscoveryList') continue
    const version = aggregatedVersions.find((one) => one === parameters.get('v'))
    const group = groups.find((one) => one === parameters.get('g'))
    if (version !== undefined && group !== undefined) return { group, version }
  }
  return undefined
}
