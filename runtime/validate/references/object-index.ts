/** The objects of a run, by what others ask for. */
import type { ObjectFacts, PodFacts, Reference } from './facts.ts'

/** A kind, whose group may be any. */
type OfKind = Pick<Reference, 'kind' | 'group'>
type Labels = Readonly<Record<string, string>>

/** Objects by what they are asked for. */
export class ObjectIndex {
  /** Every object, in the order in which they were given. */
  readonly all: readonly ObjectFacts[]
  readonly #objects = new Map<string, ObjectFacts[]>()
  readonly #places = new Map<string, ObjectFacts[]>()
  readonly #pods = new Map<string, PodFacts[]>()
  /** By namespace and label. */
  readonly #labelled = new Map<string, PodFacts[]>()

  constructor(all: readonly ObjectFacts[]) {
    this.all = all
    for (const facts of all) {
      const { kind, namespace, name, pods } = facts
      listIn(this.#objects, `${kind}\0${namespace}\0${name}`).push(facts)
      listIn(this.#places, `${kind}\0${namespace}`).push(facts)
      for (const pod of pods) {
        listIn(this.#pods, pod.namespace).push(pod)
        for (const label of labelsOf(pod.namespace, pod.labels)) {
          listIn(this.#labelled, label).push(pod)
        }
      }
    }
  }

  /** The object that a reference means. */
  object({ kind, group }: OfKind, namespace: string, name: string): ObjectFacts | undefined {
    const find = (place: string) =>
      this.#objects.get(`${kind}\0${place}\0${name}`)?.find((one) => isOf(one, group))
    return find(namespace) ?? find('')
  }

  /** The names of the objects that a reference in the namespace may mean. */
  names({ kind, group }: OfKind, namespace: string): readonly string[] {
    const at = (place: string) =>
      (this.#places.get(`${kind}\0${place}`) ?? []).filter((one) => isOf(one, group))
    const own = at(namespace)
    return (own.length > 0 ? own : at('')).map(({ name }) => name)
  }

  /** True for a kind with an object that is in no namespace. */
  isClusterWide({ kind, group }: OfKind): boolean {
    return this.#places.get(`${kind}\0`)?.some((one) => isOf(one, group)) === true
  }

  /** The pods that objects of a namespace make. */
  pods(namespace: string): readonly PodFacts[] {
    return this.#pods.get(namespace) ?? []
  }

  /** Those with all of the labels: looked for among those that have the rarest one. */
  podsWith(namespace: string, labels: Labels): readonly PodFacts[] {
    let fewest = this.pods(namespace)
    for (const label of labelsOf(namespace, labels)) {
      const pods = this.#labelled.get(label) ?? []
      if (pods.length < fewest.length) fewest = pods
    }
    return fewest.filter((pod) => hasLabels(pod, labels))
  }
}

function isOf(facts: ObjectFacts, group: string | undefined): boolean {
  return group === undefined || facts.group === group
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key)
  if (known !== undefined) return known
  const list: T[] = []
  lists.set(key, list)
  return list
}

function labelsOf(namespace: string, labels: Labels): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${namespace}\0${key}\0${value}`)
}

/** True for pods with all of the labels. */
export function hasLabels({ labels }: PodFacts, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value)
}
