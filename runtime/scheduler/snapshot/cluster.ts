import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { PlatformKeys } from '../facts/platform-keys.ts'
import { PodClasses, type PodInfo } from '../facts/pod-class.ts'
import type { Lookups } from './lookups.ts'
import { NodeInfo } from './node-info.ts'

/**
 * What decisions are made from: nodes, the pods on them, and those that are assumed to be there since they were bound and not seen yet. It
 * is kept as changes come, and nothing is copied for a decision.
 */
export class Cluster {
  readonly lookups: Lookups
  readonly keys: PlatformKeys
  readonly classes = new PodClasses()
  readonly #nodes = new Map<string, NodeInfo>()
  readonly #nodeOf = new Map<string, string>()
  readonly #assumed = new Set<string>()
  /** Pods that wait for others to go from a node, by its name and their uid. */
  readonly #nominated = new Map<string, Map<string, PodInfo>>()
  /** On how many nodes an image is, by its name. */
  readonly #images = new Map<string, number>()
  #list: readonly NodeInfo[] | undefined

  constructor(lookups: Lookups, keys: PlatformKeys) {
    this.lookups = lookups
    this.keys = keys
  }

  /** The nodes, those of each zone in turn. */
  get nodes(): readonly NodeInfo[] {
    this.#list ??= inTurn(
      [...this.#nodes.values()].filter(({ node }) => node !== undefined),
      this.keys,
    )
    return this.#list
  }

  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name)
    return info?.node === undefined ? undefined : info
  }

  setNode(node: Stored<Node>): NodeInfo {
    const info = this.#infoFor(node.metadata.name)
    this.#countImages(info.node, -1)
    info.setNode(node)
    this.#countImages(node, 1)
    this.#list = undefined
    return info
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name)
    if (info === undefined) return
    this.#countImages(info.node, -1)
    info.node = undefined
    if (info.pods.size === 0) this.#nodes.delete(name)
    this.#list = undefined
  }

  /** A pod is on its node, as the server says. */
  setPod(pod: Stored<Pod>): void {
    const { uid } = pod.metadata
    this.removePod(uid)
    this.#put(this.classes.infoOf(pod), pod.spec?.nodeName ?? '')
  }

  /** A pod is taken to be on a node until the server says so. */
  assume(info: PodInfo, node: string): void {
    this.#put(info, node)
    this.#assumed.add(info.pod.metadata.uid)
    this.denominate(info.pod.metadata.uid)
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid)
  }

  removePod(uid: string): void {
    const name = this.#nodeOf.get(uid)
    this.#assumed.delete(uid)
    if (name === undefined) return
    this.#nodeOf.delete(uid)
    const info = this.#nodes.get(name)
    info?.remove(uid)
    if (info?.node === undefined && info?.pods.size === 0) this.#nodes.delete(name)
  }

  /** A pod waits for a node. */
  nominate(info: PodInfo, node: string): void {
    this.denominate(info.pod.metadata.uid)
    const known = this.#nominated.get(node) ?? new Map<string, PodInfo>()
    this.#nominated.set(node, known.set(info.pod.metadata.uid, info))
  }

  denominate(uid: string): void {
    for (const [node, waiting] of this.#nominated) {
      if (waiting.delete(uid) && waiting.size === 0) this.#nominated.delete(node)
    }
  }

  nominatedTo(node: string): readonly PodInfo[] {
    const waiting = this.#nominated.get(node)
    return waiting === undefined ? [] : [...waiting.values()]
  }

  nodesWithImage(name: string): number {
    return this.#images.get(name) ?? 0
  }

  /** Pods on nodes, the assumed ones, and nodes. */
  get sizes(): { readonly pods: number; readonly assumed: number; readonly nodes: number } {
    return { pods: this.#nodeOf.size, assumed: this.#assumed.size, nodes: this.nodes.length }
  }

  #put(info: PodInfo, node: string): void {
    this.#nodeOf.set(info.pod.metadata.uid, node)
    this.#infoFor(node).add(info)
  }

  #infoFor(name: string): NodeInfo {
    const known = this.#nodes.get(name)
    if (known !== undefined) return known
    const made = new NodeInfo(name)
    this.#nodes.set(name, made)
    return made
  }

  #countImages(node: Stored<Node> | undefined, by: 1 | -1): void {
    for (const name of new Set(node?.status?.images?.flatMap(({ names }) => names ?? []))) {
      const count = (this.#images.get(name) ?? 0) + by
      if (count === 0) this.#images.delete(name)
      else this.#images.set(name, count)
    }
  }
}

/** One node of each zone after the other, so that the first ones of a list are spread over zones. */
function inTurn(nodes: readonly NodeInfo[], { zone, region }: PlatformKeys): readonly NodeInfo[] {
  const zones = new Map<string, NodeInfo[]>()
  for (const node of nodes) {
    const key = `${node.labels[region] ?? ''}\n${node.labels[zone] ?? ''}`
    const known = zones.get(key)
    if (known === undefined) zones.set(key, [node])
    else known.push(node)
  }
  if (zones.size <= 1) return nodes
  const lists = [...zones.values()]
  const longest = Math.max(...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
}
