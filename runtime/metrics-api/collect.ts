import { type Node, nodes } from '../../generated/apis/core/v1/node.ts'
import type { Client } from '../client/client.ts'
import { type Clock, pause } from '../kernel/async/clock.ts'
import { deadline } from '../kernel/async/deadline.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import type { Log } from '../observe/observe.ts'
import { type NodeSamples, readSummary } from './samples.ts'
import { type NodeUsage, usageBetween } from './usage.ts'

/** Looks at nodes, again and again. */
export interface MetricsCollector {
  /** What nodes use, by name; those that have answered lately. */
  readonly usage: ReadonlyMap<string, NodeUsage>
  /** Whether all nodes were asked once. */
  readonly hasLooked: boolean
  run(signal: AbortSignal): Promise<void>
}

/** Whom a collector asks, and how often. */
export interface CollectorOptions {
  readonly client: Client
  /** The nodes there are now. */
  nodes(): readonly Pick<Node, 'metadata'>[]
  readonly everyMs: number
  readonly clock: Clock
  readonly log: Log
}

/** The look after comes so soon where a node was looked at once only, which tells nothing yet, and where there is none. */
const soonMs = 1_000
/** Milliseconds that a node may take to answer. */
const answerMs = 10_000
/** Nodes that are asked at once. */
const atOnce = 16

/** A collector that has seen nothing yet. */
export function metricsCollector(options: CollectorOptions): MetricsCollector {
  const { client, everyMs, clock, log } = options
  const usage = new Map<string, NodeUsage>()
  const before = new Map<string, NodeSamples>()
  const silent = new Set<string>()
  let hasLooked = false

  async function look(signal: AbortSignal): Promise<void> {
    const names = options.nodes().map(({ metadata }) => metadata.name ?? '')
    for (const known of before.keys()) if (!names.includes(known)) forget(known)
    const waiting = [...names]
    const ask = async (): Promise<void> => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        await lookAt(name, signal)
      }
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, names.length) }, ask))
  }

  async function lookAt(name: string, signal: AbortSignal): Promise<void> {
    const limit = deadline(clock, signal, 0, answerMs)
    try {
      const all = client.resource(nodes)
      const samples = readSummary(
        await all.getSubresource<unknown>(name, 'proxy/stats/summary', limit.signal),
      )
      usage.set(name, usageBetween(before.get(name), samples))
      before.set(name, samples)
      silent.delete(name)
    } catch (error) {
      forget(name)
      if (signal.aborted || silent.has(name)) return
      silent.add(name)
      log.warn('a node does not tell what it uses', { node: name, reason: errorText(error) })
    } finally {
      limit.end()
    }
  }

  function forget(name: string): void {
    usage.delete(name)
    before.delete(name)
  }

  return {
    usage,
    get hasLooked() {
      return hasLooked
    },
    async run(signal) {
      while (!signal.aborted) {
        await look(signal)
        hasLooked = true
        const knowsAll = [...usage.values()].every(({ node }) => node !== undefined)
        const isSoon = before.size === 0 || !knowsAll
        await pause(clock, isSoon ? Math.min(soonMs, everyMs) : everyMs, signal)
      }
    },
  }
}
