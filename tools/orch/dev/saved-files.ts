import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Milliseconds without another change after which files count as saved: editors write in several steps. */
const quietMs = 50

/**
 * Watches folders, and says when something in them was saved. Each folder has a watcher of its own: a recursive one of Node 20 no longer
 * sees a file on Linux once an editor has replaced it.
 */
export class SavedFiles {
  readonly #changed: () => void
  readonly #watchers = new Map<string, FSWatcher[]>()
  #timer: NodeJS.Timeout | undefined

  /** `changed` is called once after each burst of changes. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Watches a folder from now on, with `deep` the folders in it, too. One that is watched already stays so. */
  add(folder: string, deep = false): void {
    if (!this.#watchers.has(folder)) this.#begin(folder, deep)
  }

  #begin(folder: string, deep: boolean): void {
    const watchers: FSWatcher[] = []
    this.#watchers.set(folder, watchers)
    const follow = (each: string): void => {
      const watcher = watch(each, (event) => {
        // A folder may be new, or another one in the place of one that went away.
        if (deep && event === 'rename') this.#beginAgain(folder)
        clearTimeout(this.#timer)
        this.#timer = setTimeout(this.#changed, quietMs)
      })
      watcher.on('error', () => watcher.close())
      watchers.push(watcher)
      if (deep) for (const below of foldersIn(each)) ifThere(() => follow(below))
    }
    ifThere(() => follow(folder))
    if (watchers.length === 0) this.#watchers.delete(folder)
  }

  #beginAgain(folder: string): void {
    this.#end(folder)
    this.#begin(folder, true)
  }

  #end(folder: string): void {
    for (const watcher of this.#watchers.get(folder) ?? []) watcher.close()
    this.#watchers.delete(folder)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const folder of [...this.#watchers.keys()]) this.#end(folder)
  }
}

/** A folder that goes away is no longer watched; the next build says what is missing. */
function ifThere(follow: () => void): void {
  try {
    follow()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name))
}
