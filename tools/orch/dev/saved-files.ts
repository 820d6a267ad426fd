import { type FSWatcher, watch } from 'node:fs'

/** Milliseconds without another change after which files count as saved: editors write in several steps. */
const quietMs = 50

/** Watches folders, and says when something in them was saved. */
export class SavedFiles {
  readonly #changed: () => void
  readonly #watchers = new Map<string, FSWatcher>()
  #timer: NodeJS.Timeout | undefined

  /** `changed` is called once after each burst of changes. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Watches a folder from now on, with `deep` the folders in it, too. One that is watched already stays so. */
  add(folder: string, deep = false): void {
    if (this.#watchers.has(folder)) return
    const watcher = watch(folder, { recursive: deep }, () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(this.#changed, quietMs)
    })
    // A folder that goes away is no longer watched; the next build says what is missing.
    watcher.on('error', () => this.#watchers.delete(folder))
    this.#watchers.set(folder, watcher)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
  }
}
