import type { Service } from '../../../generated/apis/core/v1/service.ts'
import { labelRequirementsOf } from '../../kernel/meta/label-selector.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { LabelSelection, selectionOf } from '../facts/label-selection.ts'
import type { OwnerFacts, PodClass } from '../facts/pod-class.ts'
import type { Followed } from './followed-kinds.ts'

type Labels = Readonly<Record<string, string>>

/** What selects the pods that do the same work as others: the services of these, and their controller. */
export class Peers {
  readonly #followed: Followed
  readonly #services = new Map<string, Set<Stored<Service>>>()
  #known = new WeakMap<PodClass, { readonly found: LabelSelection | undefined }>()

  constructor(followed: Followed) {
    this.#followed = followed
    followed.services.on({
      added: (one) => this.#addService(one),
      updated: (one, before) => {
        this.#removeService(before)
        this.#addService(one)
      },
      deleted: (one) => this.#removeService(one),
    })
    for (const informer of [
      followed.replicationControllers,
      followed.replicaSets,
      followed.statefulSets,
    ]) {
      informer.on({
        added: () => this.#forget(),
        updated: (one: ApiObject, before: ApiObject) => {
          if (!deepEqual(selectorOf(one), selectorOf(before))) this.#forget()
        },
        deleted: () => this.#forget(),
      })
    }
  }

  /** Undefined for pods that nothing selects. */
  of(pods: PodClass): LabelSelection | undefined {
    const known = this.#known.get(pods)
    if (known !== undefined) return known.found
    const found = this.#find(pods)
    this.#known.set(pods, { found })
    return found
  }

  #find({ namespace, labels, owner }: PodClass): LabelSelection | undefined {
    const merged: Record<string, string> = {}
    for (const service of this.#services.get(namespace) ?? []) {
      const { selector } = service.spec ?? {}
      if (selector && selects(selector, labels)) Object.assign(merged, selector)
    }
    const own = owner && this.#selectorOfOwner(namespace, owner)
    const all = [
      ...(labelRequirementsOf({ matchLabels: { ...merged, ...own?.labels } }) ?? []),
      ...(own?.selection?.requirements ?? []),
    ]
    return all.length === 0 ? undefined : new LabelSelection(all)
  }

  #selectorOfOwner(
    namespace: string,
    { apiVersion, kind, name }: OwnerFacts,
  ): { readonly labels?: Labels; readonly selection?: LabelSelection } | undefined {
    const key = { namespace, name }
    switch (`${apiVersion} ${kind}`) {
      case 'v1 ReplicationController': {
        const labels = this.#followed.replicationControllers.cache.get(key)?.spec?.selector
        return labels && { labels }
      }
      case 'apps/v1 ReplicaSet': {
        const found = this.#followed.replicaSets.cache.get(key)
        return found && { selection: selectionOf(found.spec?.selector) }
      }
      case 'apps/v1 StatefulSet': {
        const found = this.#followed.statefulSets.cache.get(key)
        return found && { selection: selectionOf(found.spec?.selector) }
      }
      default:
        return undefined
    }
  }

  #addService(one: Stored<Service>): void {
    const { namespace } = one.metadata
    const known = this.#services.get(namespace) ?? new Set()
    this.#services.set(namespace, known.add(one))
    this.#forget()
  }

  #removeService(one: Stored<Service>): void {
    for (const other of this.#services.get(one.metadata.namespace) ?? []) {
      if (other.metadata.name === one.metadata.name)
        this.#services.get(one.metadata.namespace)?.delete(other)
    }
    this.#forget()
  }

  #forget(): void {
    this.#known = new WeakMap()
  }
}

function selectorOf(object: ApiObject): unknown {
  return (object as { readonly spec?: { readonly selector?: unknown } }).spec?.selector
}

function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
  )
}
