/** Where two values differ, as text for people. */
import { equal } from '../kernel/equal.ts'
import { join, show } from '../kernel/findings.ts'

const mostLines = 20
const longest = 120

/** A line with the old value and one with the new for each path that differs, the first few of them. */
export function difference(old: unknown, now: unknown): string {
  const lines: string[] = []
  walk('', old, now, lines)
  const more = lines.length > mostLines ? ['...'] : []
  return [...lines.slice(0, mostLines), ...more].join('\n')
}

function walk(path: string, old: unknown, now: unknown, lines: string[]): void {
  if (lines.length > mostLines || equal(old, now)) return
  if (isTree(old) && isTree(now) && Array.isArray(old) === Array.isArray(now)) {
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      walk(join(path, Array.isArray(old) ? `[${key}]` : key), old[key], now[key], lines)
    }
    return
  }
  if (old !== undefined) lines.push(`- ${path}: ${short(old)}`)
  if (now !== undefined) lines.push(`+ ${path}: ${short(now)}`)
}

type Branch = Readonly<Record<string, unknown>>

function isTree(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

function short(value: unknown): string {
  const text = show(value)
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}
