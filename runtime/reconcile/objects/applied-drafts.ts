import type { ManagedFieldsRecord } from '../../apply/apply.ts'
import type { CacheReader } from '../../informer/informer.ts'
import { objectKey } from '../../informer/informer.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'

/** What a controller last applied to one object. */
interface Applied {
  readonly draft: ApiObject
  /** The controller's own record after it: it changes when any manager changes one of its fields. */
  readonly record: ManagedFieldsRecord
  /** What the object held then, if the server does not give back every field of the draft: such as texts that it encodes. */
  readonly content: Content | undefined
  readonly isThere: () => boolean
}

type Content = Readonly<Record<string, unknown>>

/** How often a controller had to take fields of one object back, and when it last had to. */
interface TakenBack {
  times: number
  last: number
}

/** Drafts are forgotten with their objects once there are so many. */
const firstSweep = 256

/**
 * Drafts that a server took, by the uids of the objects that they were about. A server may write a value otherwise than it was
 * sent (`0.5` as `500m`), so that only its answer says whether an object is as its draft says: it is asked once.
 */
export class AppliedDrafts {
  readonly #applied = new Map<string, Applied>()
  readonly #takenBack = new Map<string, TakenBack>()
  #nextSweep = firstSweep

  /** True if this draft was the last one that was applied, and its fields are as they were then. */
  has(object: Stored<ApiObject>, draft: ApiObject, record: ManagedFieldsRecord): boolean {
    const known = this.#applied.get(object.metadata.uid)
    return (
      known !== undefined &&
      known.record.time === record.time &&
      deepEqual(known.record.fieldsV1, record.fieldsV1) &&
      deepEqual(known.draft, draft) &&
      changedFields(known, object).length === 0
    )
  }

  /** What has changed in the object since this draft was applied last, where a server keeps a field of it under another name. */
  hiddenDrift(object: Stored<ApiObject>, draft: ApiObject): readonly string[] {
    const known = this.#applied.get(object.metadata.uid)
    return known !== undefined && deepEqual(known.draft, draft) ? changedFields(known, object) : []
  }

  /** True if this draft was the last one that was applied, whatever became of its fields. */
  isLast({ metadata }: Stored<ApiObject>, draft: ApiObject): boolean {
    return deepEqual(this.#applied.get(metadata.uid)?.draft, draft)
  }

  /** A server took the draft: `object` and `record` are its answer. */
  add<K extends ApiObject>(
    object: Stored<K>,
    draft: ApiObject,
    record: ManagedFieldsRecord,
    cache: CacheReader<K>,
  ): void {
    const key = objectKey(object)
    const { uid } = object.metadata
    const isThere = (): boolean => cache.get(key)?.metadata.uid === uid
    const isWhole = Object.keys(draft).every((field) => Object.hasOwn(object, field))
    const content = isWhole ? undefined : contentOf(object)
    this.#applied.set(uid, { draft, record, content, isThere })
    if (this.#applied.size >= this.#nextSweep) this.#sweep()
  }

  /** Counts that fields were taken back from another manager; gives how often within the last minutes. */
  takenBack({ metadata: { uid } }: Stored<ApiObject>, now: number): number {
    const known = this.#takenBack.get(uid)
    const times = known !== undefined && now - known.last < disputeMs ? known.times + 1 : 1
    this.#takenBack.set(uid, { times, last: now })
    return times
  }

  #sweep(): void {
    for (const [uid, { isThere }] of this.#applied) if (!isThere()) this.#applied.delete(uid)
    for (const uid of this.#takenBack.keys()) {
      if (!this.#applied.has(uid)) this.#takenBack.delete(uid)
    }
    this.#nextSweep = Math.max(firstSweep, 2 * this.#applied.size)
  }
}

function contentOf(object: ApiObject): Content {
  const {
    metadata: _,
    status: __,
    ...content
  } = object as ApiObject & { readonly status?: unknown }
  return content
}

function changedFields({ content }: Applied, object: ApiObject): readonly string[] {
  if (content === undefined) return []
  const now = contentOf(object)
  const fields = new Set([...Object.keys(content), ...Object.keys(now)])
  return [...fields].filter((field) => !deepEqual(content[field], now[field]))
}

/** Fields that change hands again within this time are in dispute. */
const disputeMs = 60_000
