import { readFileSync, statfsSync } from 'node:fs'

/** What a node has too little of. */
export interface NodePressure {
  readonly memory: boolean
  readonly disk: boolean
  readonly pids: boolean
}

/** How little is too little: bytes, or a part of all. */
export interface PressureThresholds {
  readonly memoryBytes: number
  readonly diskPart: number
}

/** The thresholds that nodes have by default. */
export const usualThresholds: PressureThresholds = { memoryBytes: 100 * 2 ** 20, diskPart: 0.1 }

/** Looks at the machine; `folder` is where pods keep files. */
export function nodePressure(
  folder: string,
  { memoryBytes, diskPart }: PressureThresholds,
): NodePressure {
  const disk = statfsSync(folder)
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(textOf('/proc/meminfo'))?.[1]
  const most = Number(textOf('/proc/sys/kernel/pid_max'))
  const running = Number(/\/(\d+) /.exec(textOf('/proc/loadavg'))?.[1] ?? 0)
  return {
    memory: available !== undefined && Number(available) * 1024 < memoryBytes,
    disk: disk.bavail < disk.blocks * diskPart,
    pids: most > 0 && running > most * 0.9,
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
