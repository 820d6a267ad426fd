/**
 * What is wrong with a store, and what would mend it.
 *
 * Rows of a log say what was written; pointers say which row is the newest of each live key. A log that is whole decides about pointers.
 * Where it has gaps, pointers decide, and history is forgotten.
 */
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Revision } from '../contract.ts'
import type { StoreState } from '../dump.ts'
import type { ExaminationOptions, StoreFinding } from '../keeper.ts'
import type { Change } from '../log-store.ts'
import { LogLaws } from './log-laws.ts'

/** Most findings of a code that are listed. */
const mostListed = 20

/** Findings by code: of many of one code the first are kept. */
export class Findings {
  readonly listed: StoreFinding[] = []
  readonly #counts = new Map<StoreFinding['code'], number>()
  /** Those of all findings, whether they are listed or not. */
  readonly remedies = new Set<StoreFinding['remedy']>()
  count = 0

  add(code: StoreFinding['code'], message: string, remedy: StoreFinding['remedy']): void {
    const known = this.#counts.get(code) ?? 0
    this.#counts.set(code, known + 1)
    this.remedies.add(remedy)
    this.count += 1
    if (known < mostListed) this.listed.push({ code, message, remedy })
  }

  has(...codes: readonly StoreFinding['code'][]): boolean {
    return codes.some((code) => this.#counts.has(code))
  }
}

/** A row of the log as an examination reads it. */
export interface ExaminedRow {
  readonly change: Change
  /** Why its value cannot be believed; undefined if it can. */
  readonly damage: string | undefined
}

/** A row of the table of what is alive. */
export interface Pointer {
  readonly key: string
  readonly revision: Revision
  readonly createRevision: Revision
}

/** What is known of the tables once all rows were read. */
export interface ExaminedLog {
  readonly rows: number
  readonly objects: number
  /** Rows whose value is not what was written. */
  readonly damaged: readonly Revision[]
  /** True if the log itself says what is alive. */
  readonly logDecides: boolean
}

/** Reads a change of a row, and whether its value is as it was written. */
export function examinedRow<R>(
  row: R,
  decode: (row: R) => Change,
  bare: (row: R) => Change,
): ExaminedRow {
  try {
    return { change: decode(row), damage: undefined }
  } catch (error) {
    return { change: bare(row), damage: errorText(error) }
  }
}

/** Holds every row and every pointer against the laws of a store. */
export async function examineLog(
  state: StoreState,
  rows: AsyncIterable<readonly ExaminedRow[]>,
  pointers: AsyncIterable<readonly Pointer[]>,
  findings: Findings,
): Promise<ExaminedLog> {
  const laws = new LogLaws(state)
  const damaged = new Map<Revision, ExaminedRow>()
  let count = 0
  let whole = true
  const faulty = (faults: ReturnType<LogLaws['next']>): void => {
    for (const { fault, text } of faults) {
      if (fault !== 'obsolete row') whole = false
      findings.add(fault === 'obsolete row' ? 'obsolete' : 'log', text, 'repair')
    }
  }
  for await (const batch of rows) {
    for (const row of batch) {
      count += 1
      faulty(laws.next(row.change))
      if (row.damage !== undefined) damaged.set(row.change.revision, row)
    }
  }
  faulty(laws.end())
  const live = laws.live
  const pointed = new Set<Revision>()
  let objects = 0
  const seen = new Set<string>()
  for await (const batch of pointers) {
    for (const { key, revision, createRevision } of batch) {
      objects += 1
      pointed.add(revision)
      const found = live.get(key)
      seen.add(key)
      if (found?.revision === revision && found.createRevision === createRevision) continue
      const newest = found === undefined ? 'that it is not there' : `revision ${found.revision}`
      const isLost = !whole && (found === undefined || found.revision < revision)
      if (isLost)
        findings.add(
          'lost',
          `${key}: its version of revision ${revision} is not in the log`,
          'accept loss',
        )
      else
        findings.add(
          'pointers',
          `${key}: its pointer says revision ${revision}, the log says ${newest}`,
          'repair',
        )
    }
  }
  for (const [key, { revision }] of live) {
    if (seen.has(key)) continue
    findings.add(
      'pointers',
      `${key}: has no pointer, the log says revision ${revision}`,
      whole ? 'repair' : 'accept loss',
    )
  }
  for (const [revision, { change, damage }] of damaged) {
    const isLive = pointed.has(revision) || live.get(change.key)?.revision === revision
    findings.add(isLive ? 'lost' : 'history', damage ?? '', isLive ? 'accept loss' : 'repair')
  }
  return { rows: count, objects, damaged: [...damaged.keys()], logDecides: whole }
}

/** Whether what was found is mended, given what is allowed. */
export function mayRepair(findings: Findings, { repair, acceptLoss }: ExaminationOptions): boolean {
  if (repair !== true || findings.count === 0) return false
  const { remedies } = findings
  return !remedies.has('restore') && (!remedies.has('accept loss') || acceptLoss === true)
}
