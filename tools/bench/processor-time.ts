import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds of processor time that a process and all processes below it have used, those that ended not counted. */
export function microsOfTree(root: number): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid)) parents.set(pid, Number(fieldsOf(pid)[1]))
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parents.get(pid)))
  return [...parents.keys()].filter(isBelow).reduce((sum, pid) => sum + microsOf(pid), 0)
}

/** What the system says of a process, from its state on. */
function fieldsOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Hundredths of a second in user and system mode. */
function microsOf(pid: number): number {
  const fields = fieldsOf(pid)
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10_000
}
