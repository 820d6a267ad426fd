/** Metrics of the process itself: `process_*`, and those of `go_*` that have an equal in Node. */
import { readdirSync, readFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { cpuUsage, memoryUsage, uptime, version, versions } from 'node:process'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Metrics } from './metrics-contract.ts'

/** Commit, state of the tree and date of the build, as `/version` says them: a program that is not compiled has none. */
const unknownBuild = ['', 'clean', '1970-01-01T00:00:00Z'] as const

/** Reads the figures of the process before each exposition. What the system does not say has no series. */
export function collectProcessMetrics(
  metrics: Metrics,
  { brand, release }: Pick<Platform, 'brand' | 'release'>,
  clock: Clock,
): void {
  const [major = '', minor = ''] = release.split('.')
  const programs = [`node${version}`, `v8-${versions.v8}`, `${platform()}/${arch()}`]
  const labels = [major, minor, `v${release}`, ...unknownBuild, ...programs]
  metrics.gauge(`${brand}_build_info`).set(labels, 1)
  metrics.gauge('go_info').set([`node${version}`], 1)
  const started = Math.round(clock.now() / 1000 - uptime())
  metrics.gauge('process_start_time_seconds').set([], started)
  collectUsage(metrics)
  collectSystem(metrics)
}

function collectUsage(metrics: Metrics): void {
  const cpu = metrics.counter('process_cpu_seconds_total')
  const resident = metrics.gauge('process_resident_memory_bytes')
  const used = metrics.gauge('go_memstats_heap_alloc_bytes')
  const reserved = metrics.gauge('go_memstats_heap_sys_bytes')
  let counted = 0
  metrics.onCollect(() => {
    const { user, system } = cpuUsage()
    const seconds = (user + system) / 1e6
    cpu.add([], seconds - counted)
    counted = seconds
    const { rss, heapUsed, heapTotal } = memoryUsage()
    resident.set([], rss)
    used.set([], heapUsed)
    reserved.set([], heapTotal)
  })
}

/** Figures that only Linux tells, in files below /proc/self. */
function collectSystem(metrics: Metrics): void {
  const virtual = metrics.gauge('process_virtual_memory_bytes')
  const threads = metrics.gauge('go_threads')
  const open = metrics.gauge('process_open_fds')
  const limits = readText('/proc/self/limits')
  setIfKnown(metrics.gauge('process_max_fds').set, numberIn(limits, /^Max open files\s+(\d+)/m))
  const space = numberIn(limits, /^Max address space\s+(\d+)/m)
  setIfKnown(metrics.gauge('process_virtual_memory_max_bytes').set, space)
  if (limits === '') return
  metrics.onCollect(() => {
    const status = readText('/proc/self/status')
    setIfKnown(virtual.set, numberIn(status, /^VmSize:\s+(\d+) kB/m, 1024))
    setIfKnown(threads.set, numberIn(status, /^Threads:\s+(\d+)/m))
    setIfKnown(open.set, descriptors())
  })
}

function setIfKnown(set: (labels: readonly string[], value: number) => void, value?: number): void {
  if (value !== undefined) set([], value)
}

function numberIn(text: string, form: RegExp, unit = 1): number | undefined {
  const [, digits] = form.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * unit
}

/** Without the descriptor that reading the folder opens. */
function descriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
