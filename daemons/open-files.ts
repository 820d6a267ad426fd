import { readFileSync } from 'node:fs'

/** Files that a server has open beside its connections: its database, its logs, and parts of itself that load on demand. */
const ownFiles = 64

/** How many of so many connections the system's limit on open files leaves room for; all of them where it names no limit. */
export function connectionsWithin(openFiles: number | undefined, connections: number): number {
  if (openFiles === undefined) return connections
  return Math.min(connections, Math.max(openFiles - ownFiles, 8))
}

/** How many files this process may have open; undefined where the system does not say it. */
export function openFileLimit(): number | undefined {
  try {
    const [, limit] =
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
