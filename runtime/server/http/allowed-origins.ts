/** True for the origin of a page whose scripts may make requests and read their responses. */
export type OriginMatcher = (origin: string) => boolean

/**
 * Origins by regular expressions, any of which has to be found in them. Matching is linear in the origin, which clients send.
 *
 * @throws Error that names every expression which is none, or which also finds the hosts of other owners.
 */
export async function originMatcher(patterns: readonly string[]): Promise<OriginMatcher> {
  const { RE2JS } = await import('re2js')
  const problems: string[] = []
  const compiled = patterns.flatMap((pattern) => {
    try {
      const made = RE2JS.compile(pattern)
      if (isPinned(pattern)) return [made]
      problems.push(
        `${JSON.stringify(pattern)} does not say where the host begins (^ or //) and ends ($ or :)`,
      )
    } catch (error) {
      problems.push(`${JSON.stringify(pattern)}: ${(error as Error).message}`)
    }
    return []
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return (origin) => compiled.some((one) => one.matcher(origin).find())
}

/** An expression without both ends would allow `https://example.com.elsewhere.org`. */
function isPinned(pattern: string): boolean {
  return /\^|\/\//.test(pattern) && /[$:]/.test(pattern.replace(/:\/\//g, ''))
}
