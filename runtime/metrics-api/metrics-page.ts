/** The pages of the metrics API. */
import type { Node } from '../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../generated/apis/core/v1/pod.ts'
import {
  type Authenticator,
  type Authorizer,
  forbiddenError,
  unauthorizedError,
} from '../auth/auth.ts'
import type { DaemonPage, PageContext } from '../daemon/daemon.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import { matchesLabels } from '../kernel/meta/label-selector.ts'
import { parseLabelSelector } from '../kernel/meta/label-selector-parser.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { peerOf } from '../serving/serving.ts'
import { discoveryAt } from './discovery.ts'
import { type MetricsObject, nodeMetrics, podMetrics } from './objects.ts'
import { type ResourceRequest, resourceRequest, servedVersion } from './resource-request.ts'
import { tableOf, wantsTable } from './table.ts'
import type { NodeUsage } from './usage.ts'

/** What the pages show, and to whom. */
export interface MetricsPageOptions {
  /** The names of the group, our own first. */
  readonly groups: readonly string[]
  /** The group version of tables. */
  readonly metaVersion: string
  readonly usage: ReadonlyMap<string, NodeUsage>
  nodes(): readonly Stored<Node>[]
  pods(): readonly Stored<Pod>[]
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly clock: Clock
}

/** Serves discovery and metrics; other paths are left to what comes after. */
export function metricsPage(options: MetricsPageOptions): DaemonPage {
  return async (ctx, next) => {
    const discovered = discoveryAt(ctx.path.replace(/\/$/, ''), options.groups)
    const asked = resourceRequest(ctx.path, options.groups)
    if (discovered === undefined && asked === undefined) return next()
    try {
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
        throw new StatusError('MethodNotAllowed', 'the server does not allow this method here')
      }
      if (asked === undefined) return sendJson(ctx, 200, discovered)
      await checkAccess(ctx, asked, options)
      sendJson(ctx, 200, answerTo(asked, ctx, options))
    } catch (error) {
      if (!isStatus(error)) throw error
      sendStatus(ctx, error)
    }
  }
}

async function checkAccess(
  { req, method }: PageContext,
  { group, resource, namespace, name }: ResourceRequest,
  { authenticator, authorizer }: MetricsPageOptions,
): Promise<void> {
  const { url = '', headers, rawHeaders, socket } = req
  const peer = peerOf(socket)
  const found = await authenticator.authenticate({ method, url, headers, rawHeaders, peer })
  if (found === undefined || !('user' in found)) throw unauthorizedError()
  const attributes = {
    ...{ user: found.user, verb: name === '' ? 'list' : 'get', group, version: servedVersion },
    ...{ resource, namespace, name },
  }
  const { decision, reason } = await authorizer.authorize(attributes)
  if (decision !== 'Allow') throw forbiddenError(attributes, reason)
}

/** @throws StatusError for what is not known, and for a selector that is none. */
function answerTo(asked: ResourceRequest, ctx: PageContext, options: MetricsPageOptions): object {
  const apiVersion = `${asked.group}/${servedVersion}`
  const isTable = wantsTable(ctx.get('Accept'))
  const { labelSelector = '', fieldSelector = '' } = Object.fromEntries(
    new URLSearchParams(ctx.querystring),
  )
  const requirements = parseLabelSelector(labelSelector)
  const byField = fieldsOf(fieldSelector)
  const all = metricsOf(asked, apiVersion, options)
  if (asked.name !== '') {
    const found = all.find(({ metadata }) => metadata.name === asked.name)
    if (found === undefined) throw notFound(asked)
    return isTable ? tableOf([found], options.metaVersion) : found
  }
  const items = all.filter(
    ({ metadata }) => matchesLabels(requirements, metadata.labels ?? {}) && byField(metadata),
  )
  if (isTable) return tableOf(items, options.metaVersion)
  const kind = asked.resource === 'nodes' ? 'NodeMetricsList' : 'PodMetricsList'
  return { kind, apiVersion, metadata: {}, items }
}

function metricsOf(
  { resource, namespace }: ResourceRequest,
  apiVersion: string,
  { usage, nodes, pods, clock }: MetricsPageOptions,
): readonly MetricsObject[] {
  const about = { apiVersion, now: clock.now() }
  const found =
    resource === 'nodes'
      ? nodes().map((node) => nodeMetrics(node, usage.get(node.metadata.name), about))
      : pods()
          .filter(({ metadata }) => namespace === '' || metadata.namespace === namespace)
          .map((pod) => podMetrics(pod, usageOfPod(pod, usage), about))
  return found.filter((one) => one !== undefined)
}

function usageOfPod({ metadata, spec }: Stored<Pod>, usage: ReadonlyMap<string, NodeUsage>) {
  return usage.get(spec?.nodeName ?? '')?.pods.get(`${metadata.namespace}/${metadata.name}`)
}

/** Names and namespaces are what objects can be selected by. @throws StatusError BadRequest for other fields. */
function fieldsOf(selector: string): (metadata: MetricsObject['metadata']) => boolean {
  const terms = selector === '' ? [] : selector.split(',')
  const tests = terms.map((term) => {
    const [, path = '', operator = '', value = ''] =
      /^metadata\.(name|namespace)(==?|!=)(.*)$/.exec(term) ?? []
    if (path === '') {
      const why = `field selector ${JSON.stringify(term.slice(0, 100))}: expected metadata.name or metadata.namespace`
      throw new StatusError('BadRequest', why)
    }
    const key = path as 'name' | 'namespace'
    return (metadata: MetricsObject['metadata']) =>
      (metadata[key] === value) === (operator !== '!=')
  })
  return (metadata) => tests.every((holds) => holds(metadata))
}

function notFound({ group, resource, namespace, name }: ResourceRequest): StatusError {
  const kind = resource === 'nodes' ? 'nodemetrics' : 'podmetrics'
  const shown = namespace === '' ? name : `${namespace}/${name}`
  return new StatusError('NotFound', `${kind}.${group} ${JSON.stringify(shown)} not found`, {
    details: { name: shown, group, kind },
  })
}

function sendJson(ctx: PageContext, status: number, body: unknown): void {
  ctx.set('Content-Type', 'application/json')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.status = status
  ctx.body = `${JSON.stringify(body)}\n`
}

function sendStatus(ctx: PageContext, { code, reason, message, details }: StatusError): void {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
  sendJson(ctx, code, { ...status, message, reason, ...(details && { details }), code })
}
