/**
 * The latest revision of a store, where other processes of its server see it without asking: in a file that has no name any more, of
 * which they inherit the descriptor. To look costs two microseconds, a question and its answer several hundred.
 *
 * The owner notes a revision before the write that made it is acknowledged. A reader believes what it finds only while the owner is its
 * parent: a process that has outlived its owner may not say what is the latest.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Revision } from '../contract.ts'

/** The revision, and the same once more: a look in the midst of a note finds two that differ. */
const bytes = 16

/** The file as the owner has it. */
export class HeadFile {
  readonly descriptor: number
  readonly #buffer = Buffer.alloc(bytes)
  #noted = -1

  constructor() {
    const name = join(tmpdir(), `orch-head-${process.pid}-${process.hrtime.bigint()}`)
    this.descriptor = openSync(name, 'wx+', 0o600)
    rmSync(name)
    this.note(0)
  }

  /** Notes a revision, unless a later one is noted. */
  note(revision: Revision): void {
    if (revision <= this.#noted) return
    this.#noted = revision
    this.#buffer.writeDoubleLE(revision, 0)
    this.#buffer.writeDoubleLE(revision, bytes / 2)
    writeSync(this.descriptor, this.#buffer, 0, bytes, 0)
  }

  close(): void {
    closeSync(this.descriptor)
  }
}

/** The file as other processes have it. */
export class HeadReader {
  readonly #descriptor: number
  readonly #owner: number
  readonly #buffer = Buffer.alloc(bytes)

  /** `owner` is the process that notes revisions. */
  constructor(descriptor: number, owner = process.ppid) {
    this.#descriptor = descriptor
    this.#owner = owner
  }

  /** The latest revision; undefined where it has to be asked for. */
  read(): Revision | undefined {
    readSync(this.#descriptor, this.#buffer, 0, bytes, 0)
    const revision = this.#buffer.readDoubleLE(0)
    if (revision !== this.#buffer.readDoubleLE(bytes / 2)) return undefined
    return process.ppid === this.#owner || process.pid === this.#owner ? revision : undefined
  }
}
