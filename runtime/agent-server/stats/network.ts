/** What went through interfaces of networks, as the kernel counts it. */
import { readFileSync } from 'node:fs'

/** Bytes and errors of an interface. */
export interface InterfaceUsage {
  readonly name: string
  readonly rxBytes: number
  readonly rxErrors: number
  readonly txBytes: number
  readonly txErrors: number
}

/** The interfaces that a process sees, but for the loopback one; those of this process where none is named. None where it cannot be read. */
export function interfaces(pid: number | 'self' = 'self'): readonly InterfaceUsage[] {
  try {
    return parseInterfaces(readFileSync(`/proc/${pid}/net/dev`, 'utf8'))
  } catch {
    return []
  }
}

/** Reads the text of the kernel: a line for each interface behind two of headings. */
export function parseInterfaces(text: string): readonly InterfaceUsage[] {
  return text
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [name = '', counters = ''] = line.trim().split(/:\s*/)
      const [rxBytes, , rxErrors, , , , , , txBytes, , txErrors] = counters.split(/\s+/).map(Number)
      if (name === '' || name === 'lo' || txErrors === undefined) return []
      return [{ name, rxBytes, rxErrors, txBytes, txErrors } as InterfaceUsage]
    })
}

/** The interface that leads out of the machine; undefined where there is none. */
export function defaultInterface(): string | undefined {
  try {
    const lines = readFileSync('/proc/net/route', 'utf8').split('\n').slice(1)
    const found = lines.map((line) => line.split('\t')).find(([, to]) => to === '00000000')
    return found?.[0]
  } catch {
    return undefined
  }
}

/** The network of the node as the summary tells it. */
export function networkSummary(at: string): object | undefined {
  const all = interfaces().map((one) => ({ ...one }))
  if (all.length === 0) return undefined
  const name = defaultInterface()
  const usual = all.find((one) => one.name === name)
  return { time: at, ...usual, interfaces: all }
}
