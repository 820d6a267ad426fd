import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { type HostPort, hostPortsConflict, parseResourceList } from '../../pods/pods.ts'
import { type Amounts, amountsOf, podLimitOf } from '../facts/amounts.ts'
import type { PodClass, PodInfo } from '../facts/pod-class.ts'

/** How many pods of a class are on a node, and how many of them stay. */
export interface ClassCount {
  all: number
  staying: number
}

/** A node with the pods on it, those among them that are assumed to be there. It is kept as they come and go. */
export class NodeInfo {
  readonly name: string
  /** Undefined while only pods speak of the node. */
  node: Stored<Node> | undefined
  allocatable: Amounts = amountsOf(new Map())
  podLimit = 0
  readonly pods = new Map<string, PodInfo>()
  readonly classes = new Map<PodClass, ClassCount>()
  /** Those of the classes whose pods say where they are to be beside others: few, where all are looked at for each decision. */
  readonly withAffinity = new Map<PodClass, ClassCount>()
  readonly used = { cpu: 0, memory: 0, storage: 0, others: new Map<string, number>() }
  readonly counted = { cpu: 0, memory: 0 }
  readonly #ports: HostPort[] = []

  constructor(name: string) {
    this.name = name
  }

  get labels(): Readonly<Record<string, string>> {
    return this.node?.metadata.labels ?? {}
  }

  setNode(node: Stored<Node>): void {
    this.node = node
    const resources = parseResourceList(node.status?.allocatable)
    this.allocatable = amountsOf(resources)
    this.podLimit = podLimitOf(resources)
  }

  add(info: PodInfo): void {
    this.pods.set(info.pod.metadata.uid, info)
    this.#count(info, 1)
    this.#ports.push(...info.class.ports)
  }

  remove(uid: string): PodInfo | undefined {
    const info = this.pods.get(uid)
    if (info === undefined) return undefined
    this.pods.delete(uid)
    this.#count(info, -1)
    for (const port of info.class.ports) {
      const at = this.#ports.findIndex((one) => isSamePort(one, port))
      if (at >= 0) this.#ports.splice(at, 1)
    }
    return info
  }

  /** True if a port is taken that conflicts with one of these. */
  takes(ports: readonly HostPort[]): boolean {
    return ports.some((one) => this.#ports.some((other) => hostPortsConflict(one, other)))
  }

  /** The same, to be changed on its own. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name)
    Object.assign(copy, { node: this.node, allocatable: this.allocatable, podLimit: this.podLimit })
    for (const info of this.pods.values()) copy.add(info)
    return copy
  }

  #count({ pod, class: own }: PodInfo, by: 1 | -1): void {
    const count = this.classes.get(own) ?? { all: 0, staying: 0 }
    count.all += by
    if (pod.metadata.deletionTimestamp === undefined) count.staying += by
    for (const known of own.hasAffinity ? [this.classes, this.withAffinity] : [this.classes]) {
      if (count.all === 0) known.delete(own)
      else known.set(own, count)
    }
    const { used, counted } = this
    used.cpu += by * own.requests.cpu
    used.memory += by * own.requests.memory
    used.storage += by * own.requests.storage
    for (const [name, amount] of own.requests.others) {
      used.others.set(name, (used.others.get(name) ?? 0) + by * amount)
    }
    counted.cpu += by * own.counted.cpu
    counted.memory += by * own.counted.memory
  }
}

function isSamePort(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.ip === b.ip && a.protocol === b.protocol
}
