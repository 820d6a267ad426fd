/** Checks the files of a run, each by itself and all together. */
import {
  type Finding,
  openValidator,
  type PlatformSource,
  type Run,
  rules,
  type Source,
  sortedFindings,
  type Validator,
  type ValidatorOptions,
} from '../../../runtime/validate/validate.ts'
import type { FoundFile } from './files.ts'
import { Sources, shownName, type TooLarge } from './sources.ts'

/** What was checked. */
export type Checked = Pick<Run, 'findings' | 'files' | 'objects' | 'suppressed' | 'line'>

/** How files are checked. */
export interface CheckOptions extends Omit<ValidatorOptions, 'today'> {
  /** The most bytes of a file. */
  readonly maxFileSize: number
  /** Files that teach policies and kinds, and are not checked. */
  readonly given?: readonly FoundFile[]
  /** Texts in place of those on disk. */
  readonly texts?: (name: string) => string | undefined
}

/** Checks every file; only lines that findings are about are kept. */
export async function checkFiles(
  files: readonly FoundFile[],
  { platforms, maxFileSize, given = [], texts, ...options }: CheckOptions,
): Promise<Checked> {
  const today = new Date().toISOString().slice(0, 10)
  const sources = new Sources(maxFileSize, texts)
  const ordered = await lookThrough(files, sources, platforms)
  const validator = openValidator({ ...options, platforms: ordered, today })
  const lines = new Map<string, string>()
  const sum = { objects: 0, suppressed: 0 }
  const findings: Finding[] = []
  try {
    await teach(validator, [...given, ...files], sources)
    for (const file of files) {
      const source = sources.take(file)
      if ('tooLarge' in source) {
        findings.push(tooLarge(source, maxFileSize))
        continue
      }
      const checked = await validator.check(source)
      findings.push(...checked.findings)
      sum.objects += checked.objects
      sum.suppressed += checked.suppressed
      if (checked.findings.length > 0) keepLines(lines, source, checked.findings)
    }
    const across = validator.across()
    findings.push(...across.findings)
    sum.suppressed += across.suppressed
    for (const file of files.filter(({ name }) => isNamed(name, across.findings))) {
      const source = sources.get(file)
      if (!('tooLarge' in source)) keepLines(lines, source, across.findings)
    }
  } finally {
    await validator.close()
  }
  const line = (file: string, number: number) => lines.get(`${file}:${number}`)
  const names = files.map(({ name }) => shownName(name))
  return { files: names, findings: sortedFindings(findings), ...sum, line }
}

/** Policies name the kinds of their params: those are learned in a second round. */
export async function teach(
  validator: Validator,
  files: readonly FoundFile[],
  sources: Sources,
): Promise<void> {
  let known: readonly string[] = []
  for (let words = validator.teaching(); words.length > known.length; ) {
    const fresh = words.slice(known.length)
    for (const file of files) {
      const source = sources.get(file)
      if ('tooLarge' in source) continue
      const text = Buffer.from(source.text)
      if (fresh.some((word) => text.includes(word))) await validator.learn(source)
    }
    known = words
    words = validator.teaching()
  }
}

/** The platforms with that one first whose marks a file has: what has no marks is taken to be of it. */
async function lookThrough(
  files: readonly FoundFile[],
  sources: Sources,
  platforms: readonly PlatformSource[],
) {
  let own: PlatformSource | undefined
  for (const file of files) {
    const source = await sources.read(file)
    if (own !== undefined || 'tooLarge' in source) continue
    const text = Buffer.from(source.text)
    own = platforms.find(({ marks }) => marks.some((mark) => text.includes(mark)))
  }
  return own === undefined ? platforms : [own, ...platforms.filter((one) => one !== own)]
}

function isNamed(name: string, findings: readonly Finding[]): boolean {
  return findings.some(({ file }) => file === shownName(name))
}

/** What is said of a file that is not read. */
export function tooLarge({ name }: TooLarge, limit: number): Finding {
  const rule = 'text.size'
  const message = `the file is larger than ${limit} bytes, and nothing in it was checked`
  return { rule, severity: rules[rule].severity, message, file: name }
}

function keepLines(lines: Map<string, string>, source: Source, findings: readonly Finding[]) {
  const split = Buffer.from(source.text)
    .toString()
    .replace(/^\uFEFF/, '')
    .split('\n')
  for (const { file, at } of findings) {
    if (file !== source.name) continue
    const line = at && split[at.line - 1]
    if (at !== undefined && line !== undefined) lines.set(`${file}:${at.line}`, line)
  }
}
