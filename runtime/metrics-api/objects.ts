/** Metrics of nodes and pods as clients read them. */
import type { Node } from '../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../kernel/async/clock.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { printDuration } from '../kernel/values/duration.ts'
import type { NodeUsage, PodUsage, Usage } from './usage.ts'

/** Metrics of a node or of a pod. */
export interface MetricsObject {
  readonly kind: 'NodeMetrics' | 'PodMetrics'
  readonly apiVersion: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly creationTimestamp: string
  }
  readonly timestamp: string
  readonly window: string
  /** Of a node. */
  readonly usage?: Amounts
  /** Of a pod. */
  readonly containers?: readonly { readonly name: string; readonly usage: Amounts }[]
}

type Amounts = Readonly<Record<'cpu' | 'memory', string>>

/** The metrics of a node that has some. */
export function nodeMetrics(
  { metadata }: Stored<Node>,
  usage: NodeUsage | undefined,
  about: { readonly apiVersion: string; readonly now: number },
): MetricsObject | undefined {
  const found = usage?.node
  if (found === undefined) return undefined
  const { name, labels } = metadata
  return {
    ...{ kind: 'NodeMetrics', apiVersion: about.apiVersion },
    metadata: { name, ...(labels && { labels }), creationTimestamp: timestamp(about.now) },
    ...whenOf(found),
    usage: amounts(found),
  }
}

/** The metrics of a pod that has some. */
export function podMetrics(
  { metadata }: Stored<Pod>,
  usage: PodUsage | undefined,
  about: { readonly apiVersion: string; readonly now: number },
): MetricsObject | undefined {
  if (usage?.uid !== metadata.uid) return undefined
  const { name, namespace = '', labels } = metadata
  return {
    ...{ kind: 'PodMetrics', apiVersion: about.apiVersion },
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      creationTimestamp: timestamp(about.now),
    },
    ...whenOf(usage),
    containers: [...usage.containers].map(([container, one]) => ({
      name: container,
      usage: amounts(one),
    })),
  }
}

function whenOf({ at, windowMs }: Pick<Usage, 'at' | 'windowMs'>) {
  return { timestamp: timestamp(at), window: printDuration(windowMs) }
}

function amounts({ nanocores, memoryBytes }: Usage): Amounts {
  return { cpu: `${nanocores}n`, memory: `${Math.round(memoryBytes / 1024)}Ki` }
}
