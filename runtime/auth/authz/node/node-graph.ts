/** What nodes have to do with: the objects that their pods name, kept as pods and volumes change. */

/** The sorts of objects that a node may come to through its pods. */
export type NodeObject =
  | 'secret'
  | 'configmap'
  | 'claim'
  | 'volume'
  | 'attachment'
  | 'account'
  | 'resource-claim'

/** The objects that a pod names, each as `objectId` writes it. */
export interface PodPlace {
  readonly node: string
  readonly objects: readonly string[]
}

/** A volume: the claim that it is bound to, and the secrets that nodes need for it. */
export interface VolumeUse {
  readonly claim: string
  readonly secrets: readonly string[]
}

/** One text for an object. Names hold no slash. */
export function objectId(kind: NodeObject, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`
}

/** Which objects a node is related to. Every question is a look at tables. */
export class NodeGraph {
  readonly #pods = new Map<string, PodPlace>()
  readonly #volumes = new Map<string, VolumeUse>()
  readonly #attachments = new Map<string, string>()
  /** How many pods of which node name an object. */
  readonly #nodes = new Map<string, Map<string, number>>()
  /** The volumes that need a secret. */
  readonly #volumesBySecret = new Map<string, Set<string>>()

  setPod(id: string, place: PodPlace): void {
    this.removePod(id)
    const objects = [...new Set(place.objects)]
    this.#pods.set(id, { node: place.node, objects })
    for (const object of objects) {
      const nodes = this.#nodes.get(object) ?? new Map<string, number>()
      nodes.set(place.node, (nodes.get(place.node) ?? 0) + 1)
      this.#nodes.set(object, nodes)
    }
  }

  removePod(id: string): void {
    const known = this.#pods.get(id)
    if (known === undefined) return
    this.#pods.delete(id)
    for (const object of known.objects) {
      const nodes = this.#nodes.get(object)
      const others = (nodes?.get(known.node) ?? 1) - 1
      if (others > 0) nodes?.set(known.node, others)
      else nodes?.delete(known.node)
      if (nodes?.size === 0) this.#nodes.delete(object)
    }
  }

  setVolume(id: string, use: VolumeUse): void {
    this.removeVolume(id)
    this.#volumes.set(id, use)
    for (const secret of use.secrets) {
      const volumes = this.#volumesBySecret.get(secret) ?? new Set<string>()
      this.#volumesBySecret.set(secret, volumes.add(id))
    }
  }

  removeVolume(id: string): void {
    for (const secret of this.#volumes.get(id)?.secrets ?? []) {
      const volumes = this.#volumesBySecret.get(secret)
      volumes?.delete(id)
      if (volumes?.size === 0) this.#volumesBySecret.delete(secret)
    }
    this.#volumes.delete(id)
  }

  setAttachment(id: string, node: string): void {
    this.#attachments.set(id, node)
  }

  removeAttachment(id: string): void {
    this.#attachments.delete(id)
  }

  /** True if an object is one that a pod of the node names, or that a volume of such a pod needs. */
  isRelated(node: string, object: string): boolean {
    if (this.#nodes.get(object)?.has(node) || this.#attachments.get(object) === node) return true
    if (this.#hasVolume(node, object)) return true
    for (const volume of this.#volumesBySecret.get(object) ?? []) {
      if (this.#hasVolume(node, volume)) return true
    }
    return false
  }

  #hasVolume(node: string, volume: string): boolean {
    const claim = this.#volumes.get(volume)?.claim
    return claim !== undefined && this.#nodes.get(claim)?.has(node) === true
  }
}
