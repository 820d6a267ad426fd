/**
 * The laws of a log, held against its rows one by one.
 *
 * Up to `trimmed` the log has what was alive there and nothing else. After it every revision has a row, and a row names the version of
 * its key that it replaced.
 */
import type { Revision } from '../contract.ts'
import type { StoreState } from '../dump.ts'
import { isKey } from '../keys.ts'
import type { Change } from '../log-store.ts'

/** A version of a key that lives as far as the log was read. */
export interface LiveVersion {
  readonly revision: Revision
  readonly createRevision: Revision
  readonly bytes: number
}

/** One thing that is not as it must be. */
export interface LogFault {
  readonly fault: 'missing revision' | 'obsolete row' | 'wrong row'
  readonly revision: Revision
  readonly text: string
}

/** What a log holds, as far as its rows were read. */
export class LogLaws {
  /** The live versions by key. */
  readonly live = new Map<string, LiveVersion>()
  readonly #state: StoreState
  #last: Revision = 0

  constructor(state: StoreState) {
    this.#state = state
  }

  /** Reads the next row; gives what is wrong with it. */
  next(change: Change): readonly LogFault[] {
    const faults = [...this.#order(change), ...this.#row(change), ...this.#chain(change)]
    const { revision, createRevision, key, value } = change
    if (value === undefined) this.live.delete(key)
    else this.live.set(key, { revision, createRevision, bytes: value.byteLength })
    this.#last = revision
    return faults
  }

  /** All rows were read; gives what is missing at the end. */
  end(): readonly LogFault[] {
    return this.#missing(this.#state.revision + 1)
  }

  #order({ revision }: Change): readonly LogFault[] {
    const { revision: latest } = this.#state
    if (revision <= this.#last) {
      return [wrong(revision, `revision ${revision} comes after revision ${this.#last}`)]
    }
    if (revision > latest) {
      return [wrong(revision, `revision ${revision} is later than the latest, ${latest}`)]
    }
    return this.#missing(revision)
  }

  /** The revisions before this one that should have a row and have none. */
  #missing(revision: Revision): readonly LogFault[] {
    const first = Math.max(this.#last, this.#state.trimmed) + 1
    if (revision <= first) return []
    const which = revision - 1 === first ? `${first} is` : `${first} to ${revision - 1} are`
    return [
      { fault: 'missing revision', revision: first, text: `revision ${which} not in the log` },
    ]
  }

  #row({ revision, key, previousRevision, createRevision, value }: Change): readonly LogFault[] {
    const isCreate = previousRevision === 0
    const numbers = [revision, previousRevision, createRevision].every(Number.isSafeInteger)
    const sound =
      numbers &&
      isKey(key) &&
      previousRevision >= 0 &&
      previousRevision < revision &&
      createRevision > 0 &&
      (isCreate ? createRevision === revision && value !== undefined : createRevision < revision)
    return sound ? [] : [wrong(revision, `the row of revision ${revision} contradicts itself`)]
  }

  #chain(change: Change): readonly LogFault[] {
    const { revision, key, previousRevision, createRevision, value } = change
    const live = this.live.get(key)
    if (revision <= this.#state.trimmed) {
      if (live === undefined && value !== undefined) return []
      const text = `revision ${revision} of ${key} was replaced or deleted, and should be gone`
      return [{ fault: 'obsolete row', revision: live?.revision ?? revision, text }]
    }
    if ((live?.revision ?? 0) !== previousRevision) {
      const found = live === undefined ? 'was not there' : `was at revision ${live.revision}`
      const said = previousRevision === 0 ? 'creates it' : `replaces revision ${previousRevision}`
      return [wrong(revision, `revision ${revision} ${said}, but ${key} ${found}`)]
    }
    if (live === undefined || live.createRevision === createRevision) return []
    return [wrong(revision, `revision ${revision} of ${key} says another creation than before`)]
  }
}

function wrong(revision: Revision, text: string): LogFault {
  return { fault: 'wrong row', revision, text }
}
