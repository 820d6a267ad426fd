/** Which services have hints for zones, and what is told of it. */
import { type Node, nodes } from '../../../generated/apis/core/v1/node.ts'
import { type Service, services } from '../../../generated/apis/core/v1/service.ts'
import type { Key } from '../../client/client.ts'
import type { CacheReader } from '../../informer/informer.ts'
import { formatKey, objectKey } from '../../informer/informer.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Lookup } from '../../reconcile/reconcile.ts'
import type { EventFacts } from '../../recorder/recorder.ts'
import type { FamilyHints, Topology } from './decide-slices.ts'
import type { Family } from './service-pods.ts'
import { isOverloaded, type ZoneCounts } from './zone-hints.ts'
import { zoneShares } from './zone-shares.ts'

/** True for a service that asks for hints. The older annotation counts before the other one. */
export function asksForHints({ metadata }: Service, { domain }: Platform): boolean {
  const { annotations = {} } = metadata ?? {}
  const mode =
    annotations[`service.${domain}/topology-aware-hints`] ??
    annotations[`service.${domain}/topology-mode`]
  return mode === 'Auto' || mode === 'auto'
}

/** What hints were given to which services since the start. */
export class HintedServices {
  readonly #platform: Platform
  /** The endpoints for each zone, by service and family; of a service that has none, nothing for any family. */
  readonly #given = new Map<string, Map<Family, ZoneCounts>>()
  /** Why a service has no hints, as it was told last. */
  readonly #problems = new Map<string, Map<Family, string>>()

  constructor(platform: Platform) {
    this.#platform = platform
  }

  /** What the hints of a service are given by; undefined for one that asks for none. */
  topologyOf(service: Service, all: CacheReader<Node>): Topology | undefined {
    if (!asksForHints(service, this.#platform)) return undefined
    return { shares: zoneShares(all.list(), this.#platform) }
  }

  /** The services that ask for hints and have none, or whose hints do not fit the nodes that there are. */
  tooFew({ cached }: Lookup): readonly Key[] {
    const asking = cached(services)
      .list()
      .filter((service) => asksForHints(service, this.#platform))
    if (asking.length === 0) return []
    const shares = zoneShares(cached(nodes).list(), this.#platform)
    return asking.map(objectKey).filter((key) => {
      const given = [...(this.#given.get(formatKey(key))?.values() ?? [])]
      return given.length === 0
        ? shares !== undefined
        : given.some((counts) => isOverloaded(counts, shares))
    })
  }

  /** Remembers what hints a service got, and gives what is to be told of it: why it has none once, until that is another reason. */
  look(service: Stored<Service>, hints: readonly FamilyHints[]): readonly EventFacts[] {
    const key = formatKey(objectKey(service))
    const given = this.#given.get(key)
    const before = this.#problems.get(key)
    this.#problems.delete(key)
    if (hints.length === 0) {
      this.#given.delete(key)
      const [first] = given?.keys() ?? []
      return first === undefined ? [] : [disabled('Topology Aware Hints has been disabled', first)]
    }
    const now = new Map<Family, ZoneCounts>()
    const problems = new Map<Family, string>()
    const events = hints.flatMap(({ family, counts, problem = '' }) => {
      if (counts === undefined) {
        problems.set(family, problem)
        return before?.get(family) === problem ? [] : [disabled(problem, family)]
      }
      const isNew = now.size === 0 && (given?.size ?? 0) === 0
      now.set(family, counts)
      return isNew ? [enabled(family)] : []
    })
    this.#given.set(key, now)
    if (problems.size > 0) this.#problems.set(key, problems)
    return events
  }

  forget(key: Key): void {
    this.#given.delete(formatKey(key))
    this.#problems.delete(formatKey(key))
  }
}

function disabled(why: string, family: Family): EventFacts {
  const message = `${why}, addressType: ${family}`
  return { type: 'Warning', reason: 'TopologyAwareHintsDisabled', message }
}

function enabled(family: Family): EventFacts {
  const message = `Topology Aware Hints has been enabled, addressType: ${family}`
  return { type: 'Normal', reason: 'TopologyAwareHintsEnabled', message }
}
