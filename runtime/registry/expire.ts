import { type Clock, pause } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import type { Registry, Target, WatchEvent } from './contract/contract.ts'

export interface ExpireOptions {
  readonly clock: Clock
  readonly log?: Log
  /** How long objects live that live for a time only; 0 is for ever. Without it, as their kinds say. */
  readonly ttlMs?: number
}

const retryMs = 1000
const longestSweepMs = 60_000

/**
 * Deletes objects whose kind keeps them for a time only, so long after their last write: events, by the supplement's
 * U-08. Runs until `signal` aborts. After a restart the last write is when the records of managers say it was.
 */
export async function expireObjects(
  registry: Registry,
  options: ExpireOptions,
  signal: AbortSignal,
): Promise<void> {
  const kinds = Object.values(registry.scheme.routes).filter((one) => one.ttlSeconds !== undefined)
  if (options.ttlMs !== undefined && options.ttlMs <= 0) return
  await Promise.all(kinds.map((kind) => new Expiry(registry, kind, options).run(signal)))
}

/** An object and when it goes, unless it is written before. */
interface Due {
  readonly target: Target
  readonly uid: string
  readonly resourceVersion: string
  readonly at: number
}

class Expiry {
  readonly #registry: Registry
  readonly #kind: AnyKind
  readonly #clock: Clock
  readonly #log: Log
  readonly #ttlMs: number
  readonly #due = new Map<string, Due>()

  constructor(registry: Registry, kind: AnyKind, { clock, log = silentLog, ttlMs }: ExpireOptions) {
    this.#registry = registry
    this.#kind = kind
    this.#clock = clock
    this.#log = log
    this.#ttlMs = ttlMs ?? (kind.ttlSeconds ?? 0) * 1000
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#follow(signal), this.#sweep(signal)])
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const target = { kind: this.#kind }
    while (!signal.aborted) {
      try {
        this.#due.clear()
        for await (const events of this.#registry.watch(target, { bookmarks: false }, signal)) {
          for (const event of events) this.#heard(event)
        }
      } catch (error) {
        if (signal.aborted) return
        this.#log.warn('expiry watch ended', { kind: this.#kind.kind, reason: String(error) })
        await pause(this.#clock, retryMs, signal)
      }
    }
  }

  #heard({ type, item, initial }: WatchEvent): void {
    if (type === 'BOOKMARK') return
    const object = item.object()
    const { name = '', namespace, uid = '', resourceVersion = '' } = object.metadata
    const key = `${namespace}/${name}`
    if (type === 'DELETED') return void this.#due.delete(key)
    const target = { kind: this.#kind, name, ...(namespace !== undefined && { namespace }) }
    const now = this.#clock.now()
    const at = (initial ? (lastWrite(object) ?? now) : now) + this.#ttlMs
    this.#due.set(key, { target, uid, resourceVersion, at })
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const everyMs = Math.max(retryMs, Math.min(longestSweepMs, this.#ttlMs / 10))
    while (!signal.aborted) {
      await pause(this.#clock, everyMs, signal)
      const now = this.#clock.now()
      for (const due of [...this.#due.values()]) {
        if (due.at <= now && !signal.aborted) await this.#remove(due)
      }
    }
  }

  /** An object that was written or deleted in between is another matter: its event tells when it is due. */
  async #remove({ target, uid, resourceVersion }: Due): Promise<void> {
    try {
      const preconditions = { uid, resourceVersion }
      await this.#registry.delete(target, { dryRun: false, gracePeriodSeconds: 0, preconditions })
    } catch (error) {
      if (isStatus(error, 'NotFound') || isStatus(error, 'Conflict')) return
      const { kind, name = '' } = target
      this.#log.warn('expired object stays', { kind: kind.kind, name, reason: String(error) })
    }
  }
}

function lastWrite({ metadata }: ApiObject): number | undefined {
  const { creationTimestamp, managedFields = [] } = metadata as ApiObject['metadata'] & {
    readonly managedFields?: readonly { readonly time?: string }[]
  }
  const times = [creationTimestamp ?? '', ...managedFields.map(({ time = '' }) => time)]
  const known = times.map((time) => Date.parse(time)).filter((ms) => !Number.isNaN(ms))
  return known.length === 0 ? undefined : Math.max(...known)
}
