import { lineOf, withoutComments } from './imports.ts'
import type { Source } from './sources.ts'

/** A method of that name, such as a socket's `setTimeout`, is another thing. */
const ambient =
  /\b(Date\.now\(|new Date\(\)|(?<!\.)setTimeout\(|(?<!\.)setInterval\(|Math\.random\(|process\.(?:env|exit|on)\b)/g

/** The only sources of time and of settings; daemons and tools pass them on as arguments. */
const allowed =
  /^(runtime\/kernel\/async\/clock\.ts$|runtime\/connection\/environment\.ts$|daemons\/|tools\/|test\/|examples\/[^/]+\/main\.ts$)/

/** Places that ask the machine for time, chance or settings instead of taking them as arguments. */
export function checkAmbientInputs(sources: readonly Source[]): readonly string[] {
  return sources
    .filter(({ path }) => !allowed.test(path))
    .flatMap(({ path, text }) => {
      const code = withoutComments(text)
      return [...code.matchAll(ambient)].map(
        (match) => `${path}:${lineOf(code, match.index)}: ${match[1]} comes in as an argument`,
      )
    })
}
