/** The objects of a run, by what others ask for. */
import type { ObjectFacts, PodFacts } from './facts.ts'

/** Objects by what they are asked for. */
export class ObjectIndex {
  /** Every object, in the order in which they were given. */
  readonly all: readonly ObjectFacts[]
  readonly #objects = new Map<string, ObjectFacts>()
  readonly #names = new Map<string, string[]>()
  readonly #pods = new Map<string, PodFacts[]>()
  readonly #clusterWide = new Set<string>()

  constructor(all: readonly ObjectFacts[]) {
    this.all = all
    for (const facts of all) {
      const { kind, namespace, name, pods } = facts
      if (namespace === '') this.#clusterWide.add(kind)
      this.#objects.set(`${kind}\0${namespace}\0${name}`, facts)
      const place = `${kind}\0${namespace}`
      this.#names.set(place, [...(this.#names.get(place) ?? []), name])
      for (const pod of pods) {
        this.#pods.set(pod.namespace, [...(this.#pods.get(pod.namespace) ?? []), pod])
      }
    }
  }

  /** The object that a reference means. */
  object(kind: string, namespace: string, name: string): ObjectFacts | undefined {
    return (
      this.#objects.get(`${kind}\0${namespace}\0${name}`) ?? this.#objects.get(`${kind}\0\0${name}`)
    )
  }

  /** The names of the objects that a reference in the namespace may mean. */
  names(kind: string, namespace: string): readonly string[] {
    return this.#names.get(`${kind}\0${namespace}`) ?? this.#names.get(`${kind}\0`) ?? []
  }

  /** True for a kind with an object that is in no namespace. */
  isClusterWide(kind: string): boolean {
    return this.#clusterWide.has(kind)
  }

  /** The pods that objects of a namespace make. */
  pods(namespace: string): readonly PodFacts[] {
    return this.#pods.get(namespace) ?? []
  }
}

/** True for pods with all of the labels. */
export function hasLabels({ labels }: PodFacts, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value)
}
