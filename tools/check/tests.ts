import { lineOf, withoutTexts } from './imports.ts'
import type { Source } from './sources.ts'

/** Test files that would pass without testing: a suite never run, a test singled out or muted, a file without a suite. */
export function checkTests(sources: readonly Source[]): readonly string[] {
  return sources.filter(({ path }) => path.endsWith('.test.ts')).flatMap(checkFile)
}

/** What is wrong with one test file: a suite that is never run, or a test that is left out. */
function checkFile({ path, text }: Source): readonly string[] {
  const code = withoutTexts(text)
  const suites = [...code.matchAll(/\bconst (\w+) = suite\b/g)].map((match) => match[1]!)
  const idle = suites.filter((name) => !new RegExp(`\\b${name}\\.run\\(\\)`).test(code))
  const chosen = [...code.matchAll(/^\s*(\w+)\.(only|skip)\(/gm)].filter(([, name]) =>
    suites.includes(name!),
  )
  return [
    ...idle.map((name) => `${path}: ${name}.run() is missing, so nothing of the suite runs`),
    ...chosen.map((match) => `${path}:${lineOf(code, match.index)}: .${match[2]} leaves tests out`),
  ]
}

/** Golden files that no test mentions, by their own name, by their stem, or by the folder they stand in. */
export function checkGoldens(
  goldens: readonly string[],
  sources: readonly Source[],
): readonly string[] {
  const tests = sources.filter(({ path }) => path.startsWith('test/')).map(({ text }) => text)
  return goldens
    .filter((path) => !mentioned(path, tests))
    .map((path) => `${path}: no test mentions it`)
}

/** `test/golden/bad/x.yaml` is mentioned by `bad/x.yaml`, `x`, or as part of a folder, by `golden/bad`. */
function mentioned(path: string, tests: readonly string[]): boolean {
  const parts = path.split('/').slice(2)
  const stem = parts.at(-1)!.replace(/\.[^.]*$/, '')
  const folders = parts.slice(0, -1).map((_, at) => ['golden', ...parts.slice(0, at + 1)].join('/'))
  const names = [parts.join('/'), `'${stem}'`, ...folders]
  return tests.some((text) => names.some((name) => text.includes(name)))
}
