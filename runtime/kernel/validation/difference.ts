/** Where two values differ, as text for people. */

import { deepEqual } from '../values/deep-equal.ts'
import { formatValue, joinPath } from './report.ts'

const mostLines = 20
const longest = 120

/** A line with the old value and one with the new for each path that differs, the first few of them. */
export function difference(old: unknown, now: unknown): string {
  const lines: string[] = []
  collectDifferences('', old, now, lines)
  const more = lines.length > mostLines ? ['...'] : []
  return [...lines.slice(0, mostLines), ...more].join('\n')
}

function collectDifferences(path: string, old: unknown, now: unknown, lines: string[]): void {
  if (lines.length > mostLines || deepEqual(old, now)) return
  if (isComposite(old) && isComposite(now) && Array.isArray(old) === Array.isArray(now)) {
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      collectDifferences(
        joinPath(path, Array.isArray(old) ? `[${key}]` : key),
        old[key],
        now[key],
        lines,
      )
    }
    return
  }
  if (old !== undefined) lines.push(`- ${path}: ${short(old)}`)
  if (now !== undefined) lines.push(`+ ${path}: ${short(now)}`)
}

type Composite = Readonly<Record<string, unknown>>

function isComposite(value: unknown): value is Composite {
  return typeof value === 'object' && value !== null
}

function short(value: unknown): string {
  const text = formatValue(value)
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}
