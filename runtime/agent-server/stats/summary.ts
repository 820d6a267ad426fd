/** The summary of what a node, its pods and their containers use (G-13). */
import { statfs } from 'node:fs/promises'
import { timestamp } from '../../kernel/async/clock.ts'
import type { NodeView } from '../contract/node-view.ts'
import { type NodeUsage, readUsage } from '../contract/usage.ts'
import type { CpuRates } from './cpu-rates.ts'

/** The summary as clients read it. */
export async function summaryOf(view: NodeView, rates: CpuRates): Promise<object> {
  const usage = await readUsage(view)
  const cpu = (id: string, at: number, total: number) => {
    const usageNanoCores = rates.rateOf(id, at, total)
    return {
      time: exactTime(at),
      ...(usageNanoCores !== undefined && { usageNanoCores }),
      usageCoreNanoSeconds: total,
    }
  }
  const { at, memoryBytes, memoryTotal, bootedAt, cpuNanoseconds, pods } = usage
  rates.keepOnly(idsOf(usage))
  const machine = {
    nodeName: view.nodeName,
    startTime: timestamp(bootedAt),
    cpu: cpu('node', at, cpuNanoseconds),
    memory: {
      ...{ time: exactTime(at), usageBytes: memoryBytes, workingSetBytes: memoryBytes },
      availableBytes: memoryTotal - memoryBytes,
    },
    fs: await fileSystem(view.rootFolder, at),
  }
  return {
    node: machine,
    pods: pods.map(({ pod, containers }) => ({
      podRef: {
        ...{ name: pod.metadata.name, namespace: pod.metadata.namespace },
        uid: pod.metadata.uid,
      },
      startTime: pod.status?.startTime ?? pod.metadata.creationTimestamp,
      containers: containers.map((one) => ({
        name: one.name,
        startTime: timestamp(one.startedAt),
        cpu: cpu(one.id, one.at, one.cpuNanoseconds),
        memory: memory(one.at, one.memoryBytes),
      })),
      cpu: cpu(pod.metadata.uid, at, sum(containers.map((one) => one.cpuNanoseconds))),
      memory: memory(at, sum(containers.map((one) => one.memoryBytes))),
      process_stats: { process_count: sum(containers.map((one) => one.processes)) },
    })),
  }
}

function idsOf({ pods }: NodeUsage): ReadonlySet<string> {
  const own = pods.flatMap(({ pod, containers }) => [
    pod.metadata.uid,
    ...containers.map(({ id }) => id),
  ])
  return new Set(['node', ...own])
}

/** With parts of a second: who works out rates divides by what lies between two of them. */
function exactTime(at: number): string {
  return new Date(at).toISOString()
}

function memory(at: number, bytes: number): object {
  return { time: exactTime(at), usageBytes: bytes, workingSetBytes: bytes }
}

async function fileSystem(folder: string, at: number): Promise<object> {
  const found = await statfs(folder)
  const { bsize, bavail, blocks, files } = found
  const inodesFree = found.ffree
  return {
    time: exactTime(at),
    ...{ availableBytes: bavail * bsize, capacityBytes: blocks * bsize },
    usedBytes: (blocks - bavail) * bsize,
    ...{ inodesFree, inodes: files, inodesUsed: files - inodesFree },
  }
}

/** The sum of some numbers. */
export function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0)
}
