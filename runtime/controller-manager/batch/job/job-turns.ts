import type { Job } from '../../../../generated/apis/batch/v1/job.ts'
import type { Key } from '../../../client/client.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { type FailureRecord, noFailures } from './retry-delay.ts'

/** How long a job is left alone after something happened to its pods: more will. */
const batchMs = 1000

interface Turn {
  readonly uid: string
  /** What was asked for when it was looked at. */
  generation: number | undefined
  /** When it is to be looked at whatever happens. */
  alarm: number
  /** When it is to be looked at because something happened. */
  due: number
  failures: FailureRecord
}

/**
 * When jobs are looked at, and what is remembered of them meanwhile. A job is looked at as soon as it asks for something else, and a second
 * after something happened to its pods.
 */
export class JobTurns {
  readonly #turns = new Map<string, Turn>()

  /** Milliseconds until a job is to be looked at; none for one whose turn is now. */
  waitFor(job: Stored<Job>, now: number): number {
    const turn = this.#of(job)
    if (turn.generation !== job.metadata.generation) return 0
    turn.due = Math.min(turn.due, now + batchMs)
    return Math.max(0, Math.min(turn.due, turn.alarm) - now)
  }

  /** A job has its turn: what happens from now on is a reason for the next one. */
  taken(job: Stored<Job>): void {
    const turn = this.#of(job)
    turn.generation = job.metadata.generation
    turn.alarm = Infinity
    turn.due = Infinity
  }

  /** A job is looked at again at this time, whatever happens. */
  wakeAt(job: Stored<Job>, time: number): void {
    this.#of(job).alarm = time
  }

  /** The next turn is as soon as may be, whatever happens: one failed, or more is to be done. */
  dueAtOnce(job: Stored<Job>): void {
    this.#of(job).generation = undefined
  }

  /** The failures of its pods as far as they are counted. */
  failuresOf(job: Stored<Job>): FailureRecord {
    return this.#of(job).failures
  }

  counted(job: Stored<Job>, failures: FailureRecord): void {
    this.#of(job).failures = failures
  }

  /** A job is gone or over. */
  forget(key: Key): void {
    this.#turns.delete(textOf(key))
  }

  #of({ metadata }: Stored<Job>): Turn {
    const { uid } = metadata
    const key = textOf(metadata)
    const known = this.#turns.get(key)
    if (known?.uid === uid) return known
    const fresh: Turn = {
      ...{ uid, generation: undefined, alarm: Infinity, due: Infinity, failures: noFailures },
    }
    this.#turns.set(key, fresh)
    return fresh
  }
}

function textOf({ namespace = '', name }: Key): string {
  return `${namespace}/${name}`
}
