import { RE2JS } from 're2js'

const remembered = new Map<string, RE2JS | undefined>()
const most = 256
const longestRemembered = 4096

/**
 * The compiled pattern, or undefined if the text is none. Matching takes time linear in the input. The last 256 short
 * patterns are remembered.
 */
export function patternOf(text: string): RE2JS | undefined {
  if (remembered.has(text)) {
    const pattern = remembered.get(text)
    remembered.delete(text)
    remembered.set(text, pattern)
    return pattern
  }
  const pattern = compiled(text)
  if (text.length > longestRemembered) return pattern
  if (remembered.size >= most) {
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest)
      break
    }
  }
  remembered.set(text, pattern)
  return pattern
}

function compiled(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text)
  } catch {
    return undefined
  }
}
