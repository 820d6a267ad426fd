/** A graph of controllers: what it tells. */
import type { WriteBy } from './declared-writes.ts'

/** A kind, and which fields of it. */
export interface GraphKind {
  /** `Service`, `Deployment.apps`. */
  readonly kind: string
  /** Absent: any. */
  readonly fields?: readonly string[]
}

/** What a controller says of itself. */
export interface GraphController {
  readonly name: string
  /** What wakes it: what it is for, owns and watches. */
  readonly wokenBy: readonly GraphKind[]
  readonly writes: readonly (GraphKind & { readonly by: WriteBy })[]
  /** What it reads without being woken. */
  readonly reads: readonly string[]
  /** True if something beside objects wakes it: seeds and sources. */
  readonly hasOtherCauses: boolean
  /** False if it says neither what it reads nor what it writes by its client. */
  readonly isDeclared: boolean
}

/** One controller may wake another one, or itself. */
export interface Wake extends GraphKind {
  readonly from: string
  readonly to: string
  /** The changes that wake; absent: any; empty: that an object comes or goes. */
  readonly fields?: readonly string[]
  readonly by: WriteBy
}

/** A warning is something to mend; a note something to know. */
export interface GraphFinding {
  readonly is: 'warning' | 'note'
  readonly message: string
  /** Whom it is about. */
  readonly controllers: readonly string[]
}

/** Who wakes whom, as controllers declare it. What they select among the objects of a kind is not looked at. */
export interface ControllerGraph {
  readonly controllers: readonly GraphController[]
  readonly wakes: readonly Wake[]
  /** Warnings, then notes. */
  readonly findings: readonly GraphFinding[]
}
