import { spawnSync } from 'node:child_process'
import { findProgram, programFolders } from './host-image.ts'

/** How far containers are kept apart: by process groups, by namespaces of the kernel, or with a network for each pod and a root folder for each container that it may change. */
export type EmbeddedLevel = 'process' | 'namespace' | 'full'

/** The level that this machine and user allow without a change of the machine, and why not a higher one. */
export interface ProbedLevel {
  readonly level: 'process' | 'namespace'
  /** What keeps the next level from being used; empty at the highest. */
  readonly why: string
}

/** Programs that the level of namespaces is made with. */
const needed = ['unshare', 'nsenter', 'mount', 'umount', 'pivot_root', 'env']
const probeMs = 30_000

/** How `unshare` is called: an ordinary user is root in a namespace of users of its own. */
export function unshareFlags(isRoot: boolean): readonly string[] {
  const own = isRoot ? [] : ['--user', '--map-root-user']
  return [...own, '--fork', '--kill-child', '--pid', '--mount', '--ipc', '--uts']
}

/** Tries out what this process can do. */
export function probeLevel(folders: readonly string[] = programFolders): ProbedLevel {
  const missing = needed.filter((name) => findProgram(name, folders) === undefined)
  if (missing.length > 0) {
    return { level: 'process', why: `this machine has no program ${missing.join(', ')}` }
  }
  const isRoot = process.getuid?.() === 0
  const script = 'mount -t tmpfs tmpfs /mnt && mkdir /mnt/p && mount -t proc proc /mnt/p'
  const words = [...unshareFlags(isRoot), '/bin/sh', '-c', script]
  const tried = spawnSync('unshare', words, {
    timeout: probeMs,
    env: { PATH: folders.join(':') },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (tried.status === 0) return { level: 'namespace', why: '' }
  const said = (tried.stderr ?? '').trim().split('\n').at(-1) ?? ''
  const reason = said === '' ? (tried.error?.message ?? 'unshare fails') : said
  return { level: 'process', why: `namespaces cannot be made: ${reason}` }
}
