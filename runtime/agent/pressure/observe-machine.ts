/** What the machine has left. */
import { readFileSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import type { Left, Observations } from './decide-pressure.ts'
import type { Signal } from './thresholds.ts'

/** Looks at it: `nodeFolder` is where pods keep files, `imageFolder` where images are. */
export function observeMachine(nodeFolder: string, imageFolder: string): Observations {
  const found: [Signal, Left | undefined][] = [
    ['memory.available', memory()],
    ['allocatableMemory.available', memory()],
    ['pid.available', processes()],
    ...disk('nodefs', nodeFolder),
    ...disk('imagefs', imageFolder),
  ]
  return new Map(found.flatMap(([signal, left]) => (left ? [[signal, left] as const] : [])))
}

function memory(): Left | undefined {
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(textOf('/proc/meminfo'))?.[1]
  if (available === undefined) return undefined
  return { available: Number(available) * 1024, capacity: totalmem() }
}

function processes(): Left | undefined {
  const capacity = Number(textOf('/proc/sys/kernel/pid_max'))
  const running = Number(/\/(\d+) /.exec(textOf('/proc/loadavg'))?.[1] ?? 0)
  return capacity > 0 ? { available: capacity - running, capacity } : undefined
}

function disk(name: 'nodefs' | 'imagefs', folder: string): [Signal, Left | undefined][] {
  try {
    const { bavail, bsize, blocks, ffree, files } = statfsSync(folder)
    const space = { available: bavail * bsize, capacity: blocks * bsize }
    const inodes = files > 0 ? { available: ffree, capacity: files } : undefined
    return [
      [`${name}.available`, space],
      [`${name}.inodesFree`, inodes],
    ]
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
