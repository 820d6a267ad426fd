/** Checks the files of a run, each by itself and all together. */
import {
  type Finding,
  hasWord,
  openValidator,
  type PlatformSource,
  type Run,
  sortedFindings,
  type Validator,
  type ValidatorOptions,
} from '../../../runtime/validate/validate.ts'
import { CheckedFiles } from './checked-files.ts'
import type { FoundFile } from './files.ts'
import { isLeftOut, Sources, shownName } from './sources.ts'
import { type CheckThreads, nextOf, type ThreadSettings } from './threads.ts'

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
  /** Threads that share the files, and how they load the platforms; who started them ends them. Default: one thread checks all. */
  readonly threads?: Pick<ThreadSettings, 'platform' | 'schemas'> & {
    readonly started: CheckThreads
  }
}

/** Checks every file, in several threads where that pays; what they find does not depend on how many there are. */
export async function checkFiles(
  files: readonly FoundFile[],
  { platforms, maxFileSize, given = [], texts, threads, ...options }: CheckOptions,
): Promise<Checked> {
  const today = new Date().toISOString().slice(0, 10)
  const { configuration: _, ...judged } = options
  const sources = new Sources(maxFileSize, texts)
  const ordered = await lookThrough(files, sources, platforms)
  const reread = (name: string) => sources.textOf(name)
  const validator = openValidator({ ...options, platforms: ordered, today, reread })
  const checked = new CheckedFiles()
  try {
    const learned = await teach(validator, [...given, ...files], sources)
    // What is generated for this run is on disk once it was loaded: two threads would both make it.
    if (threads?.schemas.length || threads?.platform) await validator.platforms('needed')
    const first = platforms.indexOf(ordered[0] as PlatformSource)
    const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    if (threads !== undefined) {
      const { started, platform, schemas } = threads
      const settings = { ...judged, platform, schemas, maxFileSize, today }
      started.begin({ ...settings, first, learned, files, taken })
    }
    for (let at = nextOf(taken); at < files.length; at = nextOf(taken)) {
      await checked.check(validator, sources.take(files[at] as FoundFile))
    }
    for (const result of (await threads?.started.results()) ?? []) {
      checked.add(result)
      validator.compare(result.facts)
      for (const at of result.commented) {
        await checked.check(validator, sources.take(files[at] as FoundFile))
      }
    }
    const across = await validator.across()
    checked.add(across)
    for (const file of files.filter(({ name }) => isNamed(name, across.findings))) {
      const source = sources.get(file)
      if (!isLeftOut(source)) checked.keepLines(source, across.findings)
    }
  } finally {
    await validator.close()
  }
  const { findings, objects, suppressed, lines } = checked
  const line = (file: string, number: number) => lines.get(`${file}:${number}`)
  const names = files.map(({ name }) => shownName(name))
  return { files: names, findings: sortedFindings(findings), objects, suppressed, line }
}

/** Policies name the kinds of their params: those are learned in a second round. Gives the files that were learned, in that order. */
export async function teach(
  validator: Validator,
  files: readonly FoundFile[],
  sources: Sources,
): Promise<readonly FoundFile[]> {
  const learned: FoundFile[] = []
  let known: readonly string[] = []
  for (let words = validator.teaching(); words.length > known.length; ) {
    const fresh = words.slice(known.length)
    for (const file of files) {
      const source = sources.get(file)
      if (isLeftOut(source)) continue
      if (!hasWord(source, fresh)) continue
      await validator.learn(source)
      learned.push(file)
    }
    known = words
    words = validator.teaching()
  }
  return learned
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
    if (own !== undefined || isLeftOut(source)) continue
    own = platforms.find(({ marks }) => hasWord(source, marks))
  }
  return own === undefined ? platforms : [own, ...platforms.filter((one) => one !== own)]
}

function isNamed(name: string, findings: readonly Finding[]): boolean {
  return findings.some(({ file }) => file === shownName(name))
}
