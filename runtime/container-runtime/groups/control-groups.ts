/** Control groups of the kernel, of either version: limits of what processes use together. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ContainerResources } from '../contract/container.ts'

/** What the processes of a group may use together. */
export interface GroupLimits extends ContainerResources {
  readonly processes?: number
}

/** The groups of this machine, by paths below their root. */
export interface ControlGroups {
  /** Makes a group and those above it, or changes its limits. @throws what keeps it from being made. */
  make(path: string, limits: GroupLimits): void
  /** Files to each of which a process writes its number to be in a group. */
  joinFiles(path: string): readonly string[]
  /** How often a process of the group was ended because memory ran out. */
  outOfMemory(path: string): number
  /** Removes a group and those below it; one with processes stays. */
  remove(path: string): void
}

const usualRoot = '/sys/fs/cgroup'
const used = ['cpu', 'memory', 'pids']
const tried = 'orch-try'

/** The groups of this machine; where they cannot be used, why. */
export function openControlGroups(root = usualRoot): ControlGroups | string {
  const isUnified = existsSync(join(root, 'cgroup.controllers'))
  const roots = isUnified ? [root] : used.map((name) => join(root, name))
  const missing = roots.filter((folder) => !existsSync(join(folder, 'cgroup.procs')))
  if (missing.length > 0) return `there are no control groups at ${missing.join(', ')}`
  const groups = isUnified ? new UnifiedGroups(root) : new SeparateGroups(root)
  try {
    groups.make(tried, {})
    groups.remove(tried)
    return groups
  } catch (error) {
    return `control groups cannot be made: ${error instanceof Error ? error.message : error}`
  }
}

/** Version 1: a tree for each controller. */
class SeparateGroups implements ControlGroups {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  make(path: string, limits: GroupLimits): void {
    const { cpuShares, cpuPeriod, cpuQuota, memoryBytes, processes } = limits
    for (const name of used) mkdirSync(join(this.#root, name, path), { recursive: true })
    const set = (file: string, value: number | undefined) => {
      const controller = file.slice(0, file.indexOf('.'))
      if (value !== undefined) writeFileSync(join(this.#root, controller, path, file), `${value}`)
    }
    set('cpu.shares', cpuShares)
    set('cpu.cfs_period_us', cpuPeriod)
    set('cpu.cfs_quota_us', cpuQuota)
    set('memory.limit_in_bytes', memoryBytes)
    set('pids.max', processes)
  }

  joinFiles(path: string): readonly string[] {
    return used.map((name) => join(this.#root, name, path, 'cgroup.procs'))
  }

  outOfMemory(path: string): number {
    return countIn(join(this.#root, 'memory', path, 'memory.oom_control'))
  }

  remove(path: string): void {
    for (const name of used) removeTree(join(this.#root, name, path))
    for (const name of readdirSync(this.#root)) {
      if (!used.includes(name)) removeMade(join(this.#root, name), path)
    }
  }
}

/** Version 2: one tree. */
class UnifiedGroups implements ControlGroups {
  readonly #root: string
  /** Those of ours that the kernel has here: it refuses all of a list of which it does not have one. */
  readonly #controllers: readonly string[]

  constructor(root: string) {
    this.#root = root
    const has = readFileSync(join(root, 'cgroup.controllers'), 'utf8').trim().split(/\s+/)
    this.#controllers = used.filter((name) => has.includes(name))
  }

  make(path: string, limits: GroupLimits): void {
    const folder = join(this.#root, path)
    mkdirSync(folder, { recursive: true })
    const wanted = this.#controllers.map((name) => `+${name}`).join(' ')
    for (const above of parentsOf(path)) {
      writeFileSync(join(this.#root, above, 'cgroup.subtree_control'), wanted)
    }
    const { cpuShares, cpuPeriod = 100_000, cpuQuota, memoryBytes, processes } = limits
    const set = (file: string, value: number | string | undefined) => {
      const isThere = this.#controllers.includes(file.slice(0, file.indexOf('.')))
      if (value !== undefined && isThere) writeFileSync(join(folder, file), `${value}`)
    }
    set('cpu.weight', cpuShares && 1 + Math.floor(((cpuShares - 2) * 9999) / 262_142))
    set('cpu.max', cpuQuota && `${cpuQuota} ${cpuPeriod}`)
    set('memory.max', memoryBytes)
    set('pids.max', processes)
  }

  joinFiles(path: string): readonly string[] {
    return [join(this.#root, path, 'cgroup.procs')]
  }

  outOfMemory(path: string): number {
    return countIn(join(this.#root, path, 'memory.events'))
  }

  remove(path: string): void {
    removeTree(join(this.#root, path))
  }
}

/** `a/b` has the parents ``, `a`. */
function parentsOf(path: string): readonly string[] {
  const above = dirname(join('/', path))
  return above === '/' ? [''] : [...parentsOf(above), above]
}

function countIn(file: string): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function removeTree(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) removeTree(join(folder, entry.name))
    }
    rmdirSync(folder)
  } catch {}
}

/** What runtimes made in a tree that is none of ours: the group, and those above it that are empty now. */
function removeMade(tree: string, path: string): void {
  removeTree(join(tree, path))
  try {
    for (const above of parentsOf(path).slice(1).reverse()) rmdirSync(join(tree, above))
  } catch {}
}
