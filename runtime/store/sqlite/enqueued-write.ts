import { type Deferred, deferred } from '../../kernel/async/deferred.ts'
import type { Revision } from '../contract.ts'
import type { Change, Write } from '../log-store.ts'
import type { LogRow } from './insert-log.ts'
import type { LatestRevision, PendingWrite } from './latest-revisions.ts'

/** A write that has its revision and waits to be committed. */
export class EnqueuedWrite implements PendingWrite, Change, LogRow {
  readonly revision: Revision
  readonly key: string
  readonly previousRevision: Revision
  readonly createRevision: Revision
  readonly op: Write['op']
  readonly value: Uint8Array | undefined
  /** What was the latest revision of the key before. */
  readonly before: LatestRevision | undefined
  readonly #settled: Deferred<boolean> = deferred()

  constructor(write: Write, revision: Revision, before: LatestRevision | undefined) {
    const isCreate = write.op === 'create'
    this.revision = revision
    this.key = write.key
    this.previousRevision = isCreate ? 0 : (before?.revision ?? 0)
    this.createRevision = isCreate ? revision : (before?.createRevision ?? 0)
    this.op = write.op
    this.value = write.value
    this.before = before
  }

  get settled(): Promise<boolean> {
    return this.#settled.promise
  }

  /** The write has landed, or is to be checked anew. */
  settle(landed: boolean): void {
    this.#settled.resolve(landed)
  }

  refuse(error: unknown): void {
    this.#settled.reject(error)
  }
}
