import type { Entry } from '../../store/store.ts'

const outdated = new WeakSet<Entry>()

/** Marks an entry whose bytes in the store are not what a write of the same object would store now, and returns it. */
export function markNeedsRewrite(entry: Entry): Entry {
  outdated.add(entry)
  return entry
}

/** True for an entry whose bytes in the store are not what a write of the same object would store now. */
export function needsRewrite(entry: Entry): boolean {
  return outdated.has(entry)
}
