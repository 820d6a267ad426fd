/** Metrics, as the servers behind the API server tell them. */
import type { CrossVersionObjectReference } from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { type Client, dynamicKind } from '../../client/client.ts'
import { resourceName } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { type LabelRequirement, printLabelSelector } from '../../kernel/meta/label-selector.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import type { PodMetrics } from './group-pods.ts'
import { milliOf } from './milli.ts'

/** Reads the metrics of one namespace. Each fails with an error whose text says which API could not answer. */
export interface MetricsReader {
  /** Of the pods that are selected, or of one container of each. */
  resource(pods: Selector, resource: string, container?: string): Promise<PodMetrics>
  pods(pods: Selector, metric: MetricName): Promise<PodMetrics>
  object(object: CrossVersionObjectReference, metric: MetricName): Promise<number>
  /** All values of a metric that has to do with nothing in the cluster. */
  external(metric: MetricName): Promise<readonly number[]>
}

type Selector = readonly LabelRequirement[]

/** A metric, and which of its series. */
export interface MetricName {
  readonly name: string
  readonly selector: Selector
}

/** What a reader of metrics is made of. */
export interface MetricsReaderOptions {
  readonly client: Client
  /** What the groups of metrics end with. */
  readonly api: string
  readonly namespace: string
  readonly signal: AbortSignal
}

/** What measures of pods have that name no window. */
const usualWindowMs = 60_000

interface MetricList {
  readonly items?: readonly MetricItem[]
}

interface MetricItem {
  readonly describedObject?: { readonly name?: string }
  readonly metadata?: { readonly name?: string; readonly namespace?: string }
  readonly containers?: readonly {
    readonly name?: string
    readonly usage?: Readonly<Record<string, string>>
  }[]
  readonly timestamp?: string
  readonly window?: string
  readonly windowSeconds?: number
  readonly value?: string
}

/** A reader of metrics. */
export function metricsReader(options: MetricsReaderOptions): MetricsReader {
  return {
    async resource(pods, resource, container) {
      const items = await named('resource', resourceItems(pods, options))
      return container === undefined
        ? podUsage(items, resource)
        : containerUsage(items, resource, container)
    },
    async pods(pods, metric) {
      const path = { plural: 'pods', name: '*', labelSelector: printLabelSelector(pods) }
      const items = await named('custom', customItems(path, metric, options))
      return new Map(
        items.map(({ describedObject, value = '', timestamp, windowSeconds }) => [
          describedObject?.name ?? '',
          {
            value: milliOf(value),
            at: timeOf(timestamp),
            windowMs: windowSeconds === undefined ? usualWindowMs : windowSeconds * 1000,
          },
        ]),
      )
    },
    async object(object, metric) {
      const items = await objectItems(object, metric, options).catch((error: Error) => {
        throw new Error(`unable to fetch metrics from custom metrics API: ${error.message}`)
      })
      return milliOf(items[0]?.value ?? '')
    },
    async external(metric) {
      const items = await named('external', externalItems(metric, options))
      return items.map(({ value = '' }) => milliOf(value))
    },
  }
}

function timeOf(text = ''): number {
  return Date.parse(text) || 0
}

/** The items, of which there must be some. */
async function named(
  api: 'resource' | 'custom' | 'external',
  request: Promise<readonly MetricItem[]>,
): Promise<readonly MetricItem[]> {
  const items = await request.catch((error: Error) => {
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${error.message}`)
  })
  if (items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`)
  return items
}

function podUsage(items: readonly MetricItem[], resource: string): PodMetrics {
  return new Map(
    items.flatMap(({ metadata, containers = [], timestamp, window }) => {
      const amounts = containers.map(({ usage }) => usage?.[resource])
      if (amounts.length === 0 || amounts.includes(undefined)) return []
      const value = amounts.reduce((sum: number, one = '') => sum + milliOf(one), 0)
      return [[metadata?.name ?? '', { value, ...sampleOf({ timestamp, window }) }]]
    }),
  )
}

function containerUsage(
  items: readonly MetricItem[],
  resource: string,
  container: string,
): PodMetrics {
  return new Map(
    items.flatMap(({ metadata, containers = [], timestamp, window }) => {
      const found = containers.find(({ name }) => name === container)
      if (found === undefined) {
        const pod = `${metadata?.namespace}/${metadata?.name}`
        const why = `container ${container} not present in metrics for pod ${pod}`
        throw new Error(`failed to get container metrics: ${why}`)
      }
      const amount = found.usage?.[resource]
      if (amount === undefined) return []
      const value = milliOf(amount)
      return [[metadata?.name ?? '', { value, ...sampleOf({ timestamp, window }) }]]
    }),
  )
}

function sampleOf({
  timestamp,
  window = '',
}: {
  readonly timestamp: string | undefined
  readonly window: string | undefined
}) {
  return { at: timeOf(timestamp), windowMs: parseDuration(window) ?? 0 }
}

async function resourceItems(
  pods: Selector,
  { client, api, namespace, signal }: MetricsReaderOptions,
): Promise<readonly MetricItem[]> {
  const [group, version] = [`metrics.${api}`, 'v1beta1']
  const kind = dynamicKind({
    ...{ group, version, kind: 'PodMetrics', plural: 'pods', scope: 'Namespaced' },
  })
  const labelSelector = printLabelSelector(pods)
  const listed = client.resource(kind).in(namespace).listAll({ labelSelector }, signal)
  const { items } = await listed.catch(unanswered(`pods.${group}`))
  return items as readonly MetricItem[]
}

async function externalItems(
  { name, selector }: MetricName,
  { client, api, namespace, signal }: MetricsReaderOptions,
): Promise<readonly MetricItem[]> {
  const group = `external.metrics.${api}`
  const kind = pathKind(group, 'v1beta1', 'namespaces')
  const query = selector.length > 0 ? { labelSelector: printLabelSelector(selector) } : {}
  const { items = [] } = await client
    .resource(kind)
    .getSubresource<MetricList>(namespace, encodeURIComponent(name), signal, query)
    .catch(unanswered(`${name}.${group}`))
  return items
}

async function objectItems(
  { apiVersion = '', kind, name }: CrossVersionObjectReference,
  metric: MetricName,
  options: MetricsReaderOptions,
): Promise<readonly MetricItem[]> {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const path =
    kind === 'Namespace' && group === ''
      ? { plural: 'namespaces', name: options.namespace }
      : { plural: await qualifiedName({ group, kind }, options), name }
  const items = await customItems(path, metric, options)
  if (items.length === 1) return items
  const why = `returned ${items.length} results when we asked for exactly one`
  throw new Error(`the custom metrics API server ${why}`)
}

async function qualifiedName(
  { group, kind }: { readonly group: string; readonly kind: string },
  { client, signal }: MetricsReaderOptions,
): Promise<string> {
  try {
    return resourceName((await client.dynamic({ group, kind }, signal)).kind)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
    const name = group === '' ? kind : `${kind}.${group}`
    throw new Error(
      `unable to map kind ${name} to resource: no matches for kind "${kind}" in group "${group}"`,
    )
  }
}

/** The versions of custom metrics, the newest first. */
const customVersions = ['v1beta2', 'v1beta1'] as const

async function customItems(
  {
    plural,
    name,
    labelSelector,
  }: { readonly plural: string; readonly name: string; readonly labelSelector?: string },
  metric: MetricName,
  { client, api, namespace, signal }: MetricsReaderOptions,
): Promise<readonly MetricItem[]> {
  const group = `custom.metrics.${api}`
  const isNamespace = plural === 'namespaces'
  const series = encodeURIComponent(metric.name)
  const subresource = isNamespace ? `metrics/${series}` : series
  const selected = metric.selector.length > 0
  const query = {
    ...(labelSelector && { labelSelector }),
    ...(selected && { metricLabelSelector: printLabelSelector(metric.selector) }),
  }
  for (const version of customVersions) {
    const kind = pathKind(group, version, plural, isNamespace ? 'Cluster' : 'Namespaced')
    try {
      const { items = [] } = await client
        .resource(kind)
        .getSubresource<MetricList>({ namespace, name }, subresource, signal, query)
      return items
    } catch (error) {
      if (!isUnserved(error)) return unanswered(`${plural}.${group} ${name}`)(error)
    }
  }
  throw new Error(`no custom metrics API (${group}) registered`)
}

/** What stands for a path below a group version. */
function pathKind(
  group: string,
  version: string,
  plural: string,
  scope: 'Cluster' | 'Namespaced' = 'Cluster',
) {
  return dynamicKind({ group, version, kind: 'MetricValueList', plural, scope })
}

function isUnserved(error: unknown): boolean {
  return isStatus(error, 'NotFound') && error.details?.name === undefined
}

/** Says in the words of the release that nothing answers there. */
function unanswered(what: string): (error: unknown) => never {
  return (error) => {
    if (isUnserved(error))
      throw new Error(`the server could not find the requested resource (get ${what})`)
    if (error instanceof StatusError && error.code === 503)
      throw new Error(`the server is currently unable to handle the request (get ${what})`)
    throw error
  }
}
