import { readdirSync, readFileSync } from 'node:fs'

/** A process as the kernel tells of it. */
export interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** The name of its program, as far as the kernel keeps it. */
  readonly name: string
  /** Ticks of the clock, a hundredth of a second each. */
  readonly ticks: number
  readonly residentBytes: number
}

const pageBytes = 4096

/** Everything that runs on the machine; nothing where there is no `/proc`. Dead processes that wait for their parents are left out. */
export function allProcesses(): readonly ProcessFacts[] {
  let names: readonly string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const facts = /^\d+$/.test(name) ? processFacts(Number(name)) : undefined
    return facts === undefined ? [] : [facts]
  })
}

/** One process; undefined if it does not run. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const text = read(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  // The name of the program stands in brackets and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  const field = (index: number) => Number(fields[index])
  return {
    pid,
    parent: field(1),
    group: field(2),
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    ticks: field(11) + field(12),
    residentBytes: field(21) * pageBytes,
  }
}

/** True if the process runs and its command line has this word: another one may have got its number. */
export function isProcess(pid: number, word: string): boolean {
  if (processFacts(pid) === undefined && read('/proc/self/stat') !== undefined) return false
  const line = read(`/proc/${pid}/cmdline`)
  if (line !== undefined) return line.split('\0').includes(word)
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A process and all that it started, as far as their parents live. */
export function treeOf(pid: number, all: readonly ProcessFacts[]): readonly ProcessFacts[] {
  const children = new Map<number, ProcessFacts[]>()
  for (const each of all) {
    const siblings = children.get(each.parent)
    if (siblings === undefined) children.set(each.parent, [each])
    else siblings.push(each)
  }
  const found = all.filter((each) => each.pid === pid)
  for (const each of found) found.push(...(children.get(each.pid) ?? []))
  return found
}

/** True if the environment that a process was started with has this entry. */
export function hasVariable(pid: number, entry: string): boolean {
  return read(`/proc/${pid}/environ`)?.split('\0').includes(entry) === true
}

/** Sends a signal to a process that may be gone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}
