import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { Key } from '../../client/client.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** When the pods of a service became ready, or no longer, as far as it was seen. */
interface SeenTimes {
  readonly service: number
  readonly pods: ReadonlyMap<string, number>
}

/** Remembers what changed behind services, to say when that was for which endpoints are written. */
export class ChangeTimes {
  readonly #seen = new Map<string, SeenTimes>()

  /** The first change since a service was last looked at; undefined if none has a time. For a service that is new, when it was created. */
  look(service: Stored<Service>, pods: readonly Stored<Pod>[]): number | undefined {
    const key = textOf(service.metadata)
    const before = this.#seen.get(key)
    const created = Date.parse(service.metadata.creationTimestamp)
    const times = new Map<string, number>()
    const changed = before !== undefined && created > before.service ? [created] : []
    for (const { metadata, status } of pods) {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      const time = Date.parse(ready?.lastTransitionTime ?? '')
      if (Number.isNaN(time)) continue
      times.set(metadata.name, time)
      if (time > (before?.pods.get(metadata.name) ?? Number.NEGATIVE_INFINITY)) changed.push(time)
    }
    this.#seen.set(key, { service: created, pods: times })
    if (before === undefined) return created
    return changed.length === 0 ? undefined : changed.reduce((a, b) => Math.min(a, b))
  }

  forget(key: Key): void {
    this.#seen.delete(textOf(key))
  }
}

function textOf({ namespace = '', name }: Key): string {
  return `${namespace}/${name}`
}
