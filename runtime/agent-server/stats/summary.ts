/** The summary of what a node, its pods and their containers use (G-13). */
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FolderSizes } from '../../container-runtime/container-runtime.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { NodeView } from '../contract/node-view.ts'
import { type NodeUsage, type PodUsage, readUsage } from '../contract/usage.ts'
import type { CpuRates } from './cpu-rates.ts'
import { networkSummary } from './network.ts'

/** The summary as clients read it. */
export async function summaryOf(
  view: NodeView,
  rates: CpuRates,
  sizes: FolderSizes,
): Promise<object> {
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
  sizes.keepOnly(foldersOf(usage, view.rootFolder))
  const space = await fileSystem(view.rootFolder, at)
  const machine = {
    nodeName: view.nodeName,
    startTime: timestamp(bootedAt),
    cpu: cpu('node', at, cpuNanoseconds),
    memory: {
      ...{ time: exactTime(at), usageBytes: memoryBytes, workingSetBytes: memoryBytes },
      availableBytes: memoryTotal - memoryBytes,
    },
    network: networkSummary(exactTime(at)),
    fs: space,
    runtime: { imageFs: space },
  }
  return { node: machine, pods: await Promise.all(pods.map(podSummary)) }

  async function podSummary(own: PodUsage): Promise<object> {
    const { pod, containers } = own
    const disk = await diskOf(own, view.rootFolder, at, sizes)
    return {
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
        rootfs: { ...space, usedBytes: one.diskBytes ?? 0 },
        logs: { ...space, usedBytes: disk.logs.get(one.id) ?? 0 },
      })),
      cpu: cpu(pod.metadata.uid, at, sum(containers.map((one) => one.cpuNanoseconds))),
      memory: memory(at, sum(containers.map((one) => one.memoryBytes))),
      'ephemeral-storage': { ...space, usedBytes: disk.all },
      process_stats: { process_count: sum(containers.map((one) => one.processes)) },
    }
  }
}

/** What a pod takes of the node's disk: what its containers have written, their logs, and its folder. */
async function diskOf(
  { pod, containers }: PodUsage,
  rootFolder: string,
  at: number,
  sizes: FolderSizes,
): Promise<{ readonly logs: ReadonlyMap<string, number>; readonly all: number }> {
  const logs = await Promise.all(
    containers.map(
      async ({ id, logFile }) => [id, await sizes.bytesOf(dirname(logFile), at)] as const,
    ),
  )
  const folder = await sizes.bytesOf(podFolder(rootFolder, pod.metadata.uid), at)
  const written = containers.map((one) => one.diskBytes ?? 0)
  return { logs: new Map(logs), all: folder + sum([...written, ...logs.map(([, size]) => size)]) }
}

function podFolder(rootFolder: string, uid: string): string {
  return join(rootFolder, 'pods', uid)
}

/** The folders whose sizes are told. */
function foldersOf({ pods }: NodeUsage, rootFolder: string): ReadonlySet<string> {
  const own = pods.flatMap(({ pod, containers }) => [
    podFolder(rootFolder, pod.metadata.uid),
    ...containers.map(({ logFile }) => dirname(logFile)),
  ])
  return new Set(own)
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
