/** What the runtime keeps of sandboxes and containers: one folder for each, with a record that is written once. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Records of one sort. */
export class Records<T> {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  /** The folder of an id. Ids are made here: none leads elsewhere. */
  folder(id: string): string {
    return join(this.#folder, id)
  }

  write(id: string, record: T): void {
    mkdirSync(this.folder(id), { recursive: true, mode: 0o700 })
    const file = join(this.folder(id), 'record.json')
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  /** All of them; what was only half made when a machine went down is removed. */
  read(): ReadonlyMap<string, T> {
    const found = new Map<string, T>()
    for (const id of readdirSync(this.#folder)) {
      try {
        found.set(id, JSON.parse(readFileSync(join(this.folder(id), 'record.json'), 'utf8')) as T)
      } catch {
        this.remove(id)
      }
    }
    return found
  }

  remove(id: string): void {
    rmSync(this.folder(id), { recursive: true, force: true })
  }
}
