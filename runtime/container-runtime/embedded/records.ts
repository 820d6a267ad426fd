/** What the runtime keeps of sandboxes and containers: one folder for each, with a record that is written once. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { removeFolder } from '../files/remove-folder.ts'

const [runs, stopped] = ['record.json', 'stopped.json']

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

  /** Of one that cannot be written nothing is left. */
  async write(id: string, record: T): Promise<void> {
    const file = join(this.folder(id), runs)
    try {
      mkdirSync(this.folder(id), { recursive: true, mode: 0o700 })
      writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    } catch (error) {
      await this.remove(id).catch(() => {})
      throw error
    }
  }

  /** Keeps that what the record is of has stopped. It takes another name for that: a disk that is full has no place for another text. */
  stop(id: string): void {
    renameSync(join(this.folder(id), runs), join(this.folder(id), stopped))
  }

  /** All of them; what was only half made when a machine went down is removed. */
  read(): ReadonlyMap<string, T & { readonly stopped?: true }> {
    const found = new Map<string, T & { readonly stopped?: true }>()
    for (const id of readdirSync(this.#folder)) {
      try {
        const isStopped = existsSync(join(this.folder(id), stopped))
        const text = readFileSync(join(this.folder(id), isStopped ? stopped : runs), 'utf8')
        found.set(id, { ...(JSON.parse(text) as T), ...(isStopped && { stopped: true as const }) })
      } catch {
        void this.remove(id).catch(() => {})
      }
    }
    return found
  }

  async remove(id: string): Promise<void> {
    await removeFolder(this.folder(id))
  }
}
