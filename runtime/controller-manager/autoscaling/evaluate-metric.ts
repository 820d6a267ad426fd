import type { Scale } from '../../../generated/apis/autoscaling/v1/scale.ts'
import type {
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../generated/apis/autoscaling/v2/metrics.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { type LabelRequirement, labelRequirementsOf } from '../../kernel/meta/label-selector.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { printSelector } from '../contract/print-selector.ts'
import { type Fault, SpecError } from './autoscaler-metrics.ts'
import { milliOf, printMilli } from './milli.ts'
import {
  type Proposal,
  type ProposalRules,
  proposeByAverage,
  proposeByShare,
  proposeByTotal,
  proposeByUtilization,
} from './propose-replicas.ts'
import type { MetricName, MetricsReader } from './read-metrics.ts'

/** What the metrics of an autoscaler are evaluated with. */
export interface MetricContext {
  readonly namespace: string
  readonly reader: MetricsReader
  readonly selector: readonly LabelRequirement[]
  /** The pods that the selector selects. */
  readonly pods: readonly Stored<Pod>[]
  readonly scale: Scale
  readonly rules: Omit<ProposalRules, 'resource'>
  /** Whether single containers may be looked at. */
  readonly hasContainers: boolean
}

/** What became of one metric. */
export type MetricOutcome =
  | {
      readonly is: 'proposal'
      readonly replicas: number
      /** What it is called in reasons. */
      readonly name: string
      readonly status: MetricStatus
    }
  | {
      readonly is: 'failed'
      /** `FailedGet<kind>Metric` */
      readonly reason: string
      /** Told of the metric itself. */
      readonly message: string
      /** What was being done, which stands before the message where all metrics are told of. */
      readonly summary: string
      readonly fault: Fault
    }

interface Evaluated {
  readonly proposal: Proposal
  readonly name: string
  readonly status: MetricStatus
}

/** Asks what a metric is, and how many pods it wants. */
export async function evaluateMetric(
  spec: MetricSpec,
  context: MetricContext,
): Promise<MetricOutcome> {
  const { type } = spec
  try {
    const { proposal, name, status } = await evaluate(spec, context)
    return { is: 'proposal', replicas: proposal.replicas, name, status }
  } catch (error) {
    const { message } = error as Error
    const what = error instanceof MetricError ? error.doing : ''
    const summary = `${summaryOf(spec)}${what}`
    const fault = error instanceof SpecError ? 'spec' : 'internal'
    return { is: 'failed', reason: `FailedGet${type}Metric`, message, summary, fault }
  }
}

function summaryOf({ type, resource, containerResource, external }: MetricSpec): string {
  const what = {
    Resource: `${resource?.name} resource`,
    ContainerResource: `${containerResource?.container} container`,
    External: `${external?.metric.name} external`,
    Object: 'object',
    Pods: 'pods',
  }[type]
  return `failed to get ${what} metric value: `
}

async function evaluate(spec: MetricSpec, context: MetricContext): Promise<Evaluated> {
  const { type, resource, containerResource, pods, object, external } = spec
  if (resource !== undefined) {
    const { name, target } = resource
    const { current, ...rest } = await ofResource({ resource: name, target }, context)
    return { ...rest, status: { type, resource: { name, current } } }
  }
  if (containerResource !== undefined) {
    const { name, container, target } = containerResource
    if (!context.hasContainers)
      throw new Error(
        'ContainerResource metric type is not supported: disabled by the feature gate',
      )
    const { current, ...rest } = await ofResource({ resource: name, container, target }, context)
    return { ...rest, status: { type, containerResource: { name, container, current } } }
  }
  if (pods !== undefined) return ofPods(pods, context)
  if (object !== undefined) return ofObject(object, context)
  if (external !== undefined) return ofExternal(external, context)
  throw new SpecError(`unknown metric source type "${type}"`)
}

async function ofResource(
  {
    resource,
    container,
    target: { averageValue, averageUtilization },
  }: { readonly resource: string; readonly container?: string; readonly target: MetricTarget },
  { reader, selector, pods, scale, rules }: MetricContext,
): Promise<Omit<Evaluated, 'status'> & { readonly current: MetricValueStatus }> {
  if (averageValue === undefined && averageUtilization === undefined) {
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    )
  }
  const measure = averageValue === undefined ? 'utilization' : 'usage'
  return within(`failed to get ${resource} ${measure}: `, async () => {
    const metrics = await within(`unable to get metrics for resource ${resource}: `, () =>
      reader.resource(selector, resource, container),
    )
    const measured = { pods, current: scale.spec?.replicas ?? 0, metrics }
    const all = { ...rules, resource }
    if (averageValue !== undefined) {
      const proposal = proposeByAverage(measured, milliOf(averageValue), all)
      const current = { averageValue: printMilli(proposal.usage) }
      return { proposal, name: `${resource} resource`, current }
    }
    const target = { percent: averageUtilization ?? 0, resource, ...(container && { container }) }
    const proposal = proposeByUtilization(measured, target, all)
    const { usage, utilization = 0 } = proposal
    const current = { averageUtilization: utilization, averageValue: printMilli(usage) }
    const part = container === undefined ? '' : 'container '
    const name = `${resource} ${part}resource utilization (percentage of request)`
    return { proposal, name, current }
  })
}

async function ofPods(
  { metric, target }: NonNullable<MetricSpec['pods']>,
  { reader, selector, pods, scale, rules }: MetricContext,
): Promise<Evaluated> {
  const metrics = await within(`unable to get metric ${metric.name}: `, () =>
    reader.pods(selector, nameOf(metric)),
  )
  const measured = { pods, current: scale.spec?.replicas ?? 0, metrics }
  const wanted = milliOf(target.averageValue ?? '')
  const proposal = proposeByAverage(measured, wanted, { ...rules, resource: undefined })
  const current = { averageValue: printMilli(proposal.usage) }
  return {
    ...{ proposal, name: `pods metric ${metric.name}` },
    status: { type: 'Pods', pods: { metric: metric, current } },
  }
}

async function ofObject(
  { metric, target, describedObject }: NonNullable<MetricSpec['object']>,
  { namespace, reader, pods, scale, rules }: MetricContext,
): Promise<Evaluated> {
  const { type, value, averageValue } = target
  const { kind, name: objectName } = describedObject
  const read = async () => {
    try {
      return await reader.object(describedObject, nameOf(metric))
    } catch (error) {
      const { message } = error as Error
      const place = `${kind} on ${namespace} ${objectName}`
      throw new Error(`unable to get metric ${metric.name}: ${place}/${message}`)
    }
  }
  if (type === 'Value' && value !== undefined) {
    const usage = await read()
    const current = scale.spec?.replicas ?? 0
    const proposal = proposeByTotal({ pods, current }, { usage, target: milliOf(value) }, rules)
    const object = { describedObject, metric, current: { value: printMilli(usage) } }
    const name = `${kind} metric ${metric.name}`
    return { proposal, name, status: { type: 'Object', object } }
  }
  if (type === 'AverageValue' && averageValue !== undefined) {
    const usage = await doing(`failed to get ${metric.name} object metric: `, read)
    const amounts = { usage, target: milliOf(averageValue) }
    const proposal = proposeByShare(scale.status?.replicas ?? 0, amounts, rules)
    const current = { averageValue: printMilli(proposal.usage) }
    const object = { describedObject: { kind: '', name: '' }, metric, current }
    return { proposal, name: externalName(metric), status: { type: 'Object', object } }
  }
  throw new Error(
    'invalid object metric source: neither a value target nor an average value target was set',
  )
}

async function ofExternal(
  { metric, target: { value, averageValue } }: NonNullable<MetricSpec['external']>,
  { namespace, reader, pods, scale, rules }: MetricContext,
): Promise<Evaluated> {
  const place = `${namespace}/${metric.name}/${selectorText(metric)}`
  const read = async () => {
    const values = await within(`unable to get external metric ${place}: `, () =>
      reader.external(nameOf(metric)),
    )
    return values.reduce((sum, one) => sum + one, 0)
  }
  const evaluated = (proposal: Proposal, current: MetricValueStatus): Evaluated => ({
    ...{ proposal, name: externalName(metric) },
    status: { type: 'External', external: { metric, current } },
  })
  if (averageValue !== undefined) {
    const usage = await doing(`failed to get ${metric.name} external metric: `, read)
    const amounts = { usage, target: milliOf(averageValue) }
    const proposal = proposeByShare(scale.status?.replicas ?? 0, amounts, rules)
    return evaluated(proposal, { averageValue: printMilli(proposal.usage) })
  }
  if (value !== undefined) {
    return doing(`failed to get external metric ${metric.name}: `, async () => {
      const usage = await read()
      const current = scale.spec?.replicas ?? 0
      const proposal = proposeByTotal({ pods, current }, { usage, target: milliOf(value) }, rules)
      return evaluated(proposal, { value: printMilli(usage) })
    })
  }
  throw new Error(
    'invalid external metric source: neither a value target nor an average value target was set',
  )
}

function nameOf({ name, selector }: MetricIdentifier): MetricName {
  return { name, selector: (selector && labelRequirementsOf(selector)) ?? [] }
}

function externalName(metric: MetricIdentifier): string {
  return `external metric ${metric.name}(${selectorText(metric)})`
}

function selectorText({ selector }: MetricIdentifier): string {
  return selector === undefined ? 'nil' : printSelector(selector)
}

/** What went wrong, apart from what was being done then: the metric is told without it. */
class MetricError extends Error {
  readonly doing: string

  constructor(doing: string, message: string) {
    super(message)
    this.doing = doing
  }
}

async function doing<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw new MetricError(what, (error as Error).message)
  }
}

/** The error of what goes wrong says what was being done. */
async function within<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw new Error(`${what}${(error as Error).message}`)
  }
}
