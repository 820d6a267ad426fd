/** What the command line of the test runner asks for. */
export interface TestOptions {
  /** Parts of file paths; without one, all files run. */
  readonly parts: readonly string[]
  /** Only tests whose name matches, behind the name of their suite. */
  readonly grep?: string
  /** Runs again what a change concerns, until it is ended. */
  readonly watch: boolean
}

/** What `--help` prints, and what follows a wrong argument. */
export const usage = `usage: npm test -- [PART ...] [--grep PATTERN] [--watch]

  PART            a part of a path: store runs every test file whose path holds it
  --grep PATTERN  only tests whose name matches the regular expression; the suite's name stands before it
  --watch         builds and runs again, at every change, the test files that it concerns`

/** Reads the arguments of the test runner. Throws an Error whose message says what is wrong with them. */
export function testOptions(args: readonly string[]): TestOptions {
  const parts: string[] = []
  let grep: string | undefined
  let watch = false
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [flag, joined] = arg.startsWith('--grep=') ? ['--grep', arg.slice(7)] : [arg]
    if (flag === '--watch') watch = true
    else if (flag === '--grep') grep = pattern(joined ?? rest.shift())
    else if (flag?.startsWith('-')) throw new Error(`unknown option ${flag}\n\n${usage}`)
    else parts.push(arg)
  }
  return { parts, watch, ...(grep !== undefined && { grep }) }
}

function pattern(text: string | undefined): string {
  if (text === undefined || text === '') throw new Error(`--grep needs a pattern\n\n${usage}`)
  try {
    new RegExp(text)
  } catch (error) {
    throw new Error(`--grep: ${(error as Error).message}`)
  }
  return text
}
