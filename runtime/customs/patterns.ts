import { RE2JS } from 're2js'

/** How many patterns are remembered: large schemas say the same one at hundreds of places. */
const most = 512

const known = new Map<string, RE2JS | string>()

/** A pattern that matches in linear time; a text says why it is none. */
export function patternOf(source: string): RE2JS | string {
  const before = known.get(source)
  if (before !== undefined) return before
  if (known.size >= most) known.clear()
  const made = compiled(source)
  if (source.length <= longest) known.set(source, made)
  return made
}

/** Longer ones are not kept. */
const longest = 1000

function compiled(source: string): RE2JS | string {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
