/** Keeps the findings of a folder up to date: what changed is checked again, and what files say of each other is compared anew. */
import { setImmediate } from 'node:timers/promises'
import {
  type Finding,
  hasWord,
  type KnownPlatform,
  type ObjectFacts,
  openValidator,
  type PlatformSource,
  type Source,
  sortedFindings,
  type Validator,
  type ValidatorOptions,
} from '../../../runtime/validate/validate.ts'
import { leftOut } from '../validate/checked-files.ts'
import { SchemaPlaces } from '../validate/schema-places.ts'
import { isLeftOut, type LeftOut, tooLarge } from '../validate/sources.ts'

/** What became of a file. */
export interface CheckedFile {
  readonly name: string
  readonly findings: readonly Finding[]
  readonly facts: readonly ObjectFacts[]
}

/** What a checker needs, and whom it tells. */
export interface CheckerOptions extends Omit<ValidatorOptions, 'today'> {
  /** The text of a file: what is being edited, or what is on disk. Undefined if there is none. */
  readonly read: (name: string) => string | Uint8Array | 'too large' | undefined
  readonly maxFileSize: number
  /** True for a file that an author looks at: it is checked before others. */
  readonly isOpen: (name: string) => boolean
  /** A file has other findings than before, or was checked. */
  readonly checked: (file: CheckedFile) => void
  /** The kinds that are known are others than before. */
  readonly learned: (platforms: readonly KnownPlatform[]) => void
  /** Everything is checked. */
  readonly settled: () => void
  /** Nothing can be checked, as where schema files are wrong. */
  readonly failed: (error: unknown) => void
}

/** What is kept of a file between its checks. */
interface KnownFile {
  /** It decides about others. */
  readonly teaches: boolean
  /** The index of the platform whose marks it has. */
  readonly platform: number
  own: readonly Finding[]
  facts: readonly ObjectFacts[]
  told: string
}

/** How long files are checked before those who changed them are heard again. */
const sliceMs = 25

/** Checks the files of one folder. */
export class Checker {
  readonly #options: CheckerOptions
  readonly #files = new Map<string, KnownFile>()
  /** Those to be looked at, and those to be checked. */
  readonly #changed = new Set<string>()
  readonly #dirty = new Set<string>()
  readonly #places = new SchemaPlaces()
  #validator: Validator | undefined
  #order: readonly PlatformSource[] = []
  /** What files say of each other, by the file that it is about. */
  #across: ReadonlyMap<string, readonly Finding[]> = new Map()
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(options: CheckerOptions) {
    this.#options = options
  }

  /** Files have another text than before, or none any more. */
  change(names: readonly string[]): void {
    for (const name of names) this.#changed.add(name)
    this.#running ??= this.#run()
  }

  /** Every platform, with the kinds that are known of it. */
  async platforms(): Promise<readonly KnownPlatform[]> {
    return (await this.#validator?.platforms('all')) ?? []
  }

  /** Ends it. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
    await this.#validator?.close()
  }

  async #run(): Promise<void> {
    try {
      while ((this.#changed.size > 0 || this.#dirty.size > 0) && !this.#isClosed) {
        if (this.#look()) await this.#begin()
        await this.#checkDirty()
        if (this.#changed.size === 0) await this.#compare()
      }
      if (!this.#isClosed) this.#options.settled()
    } catch (error) {
      this.#options.failed(error)
    } finally {
      this.#running = undefined
    }
  }

  /** Looks at what files that changed decide about others; true if a new validator is needed for it. */
  #look(): boolean {
    let isNew = this.#validator === undefined
    const words = [...firstWords, ...(this.#validator?.teaching() ?? [])]
    const { platforms, read } = this.#options
    for (const name of this.#changed) {
      const before = this.#files.get(name)
      const text = read(name)
      if (text === undefined) {
        isNew ||= before?.teaches === true
        this.#forget(name)
        continue
      }
      const bytes = Buffer.from(text === 'too large' ? '' : text)
      const teaches = words.some((word) => bytes.includes(word))
      const platform = platforms.findIndex(({ marks }) => marks.some((one) => bytes.includes(one)))
      isNew ||= teaches || before?.teaches === true
      this.#files.set(name, { own: [], facts: [], told: '', ...before, teaches, platform })
      this.#dirty.add(name)
    }
    this.#changed.clear()
    return isNew || this.#platformOrder()[0] !== this.#order[0]
  }

  #forget(name: string): void {
    this.#dirty.delete(name)
    this.#validator?.forget(name)
    if (this.#files.delete(name)) this.#options.checked({ name, findings: [], facts: [] })
  }

  /** As `orch validate` orders them: that one first whose marks the first marked file has. */
  #platformOrder(): readonly PlatformSource[] {
    const { platforms } = this.#options
    const names = [...this.#files.keys()].sort()
    const marked = names.map((name) => this.#files.get(name)?.platform ?? -1).find((at) => at >= 0)
    const own = marked === undefined ? undefined : platforms[marked]
    return own === undefined ? platforms : [own, ...platforms.filter((one) => one !== own)]
  }

  /** A new validator, which learns from all files; all of them are checked again. */
  async #begin(): Promise<void> {
    await this.#validator?.close()
    this.#order = this.#platformOrder()
    const today = new Date().toISOString().slice(0, 10)
    const validator = openValidator({ ...this.#options, platforms: this.#order, today })
    this.#validator = validator
    let known: readonly string[] = []
    for (
      let words = validator.teaching();
      words.length > known.length;
      words = validator.teaching()
    ) {
      const fresh = words.slice(known.length)
      for (const name of [...this.#files.keys()].sort()) {
        const source = this.#source(name)
        if (source === undefined || isLeftOut(source)) continue
        if (hasWord(source, fresh)) await validator.learn(source)
      }
      known = words
    }
    for (const name of this.#files.keys()) this.#dirty.add(name)
    this.#options.learned(await validator.platforms('needed'))
  }

  #source(name: string): Source | LeftOut | undefined {
    const text = this.#options.read(name)
    if (text === undefined) return undefined
    const { maxFileSize } = this.#options
    if (text === 'too large' || text.length > maxFileSize) return tooLarge(name, maxFileSize)
    return { name, text, mayBeOther: true }
  }

  /** Open files first; others change in between, so that the next one is chosen each time. */
  async #checkDirty(): Promise<void> {
    let since = performance.now()
    while (this.#dirty.size > 0 && !this.#isClosed) {
      const name = [...this.#dirty].find(this.#options.isOpen) ?? ([...this.#dirty][0] as string)
      this.#dirty.delete(name)
      await this.#check(this.#validator as Validator, name)
      if (performance.now() - since < sliceMs) continue
      await setImmediate()
      since = performance.now()
      if (this.#changed.size > 0 && this.#look()) await this.#begin()
    }
  }

  async #check(validator: Validator, name: string): Promise<void> {
    const file = this.#files.get(name)
    const source = this.#source(name)
    if (file === undefined || source === undefined) return
    if (isLeftOut(source)) {
      validator.forget(name)
      file.own = [leftOut(source)]
      file.facts = []
    } else {
      const { findings, facts } = await validator.check(source)
      file.own = await this.#places.placed(findings)
      file.facts = facts
    }
    // What others say of it is compared later: until then it stays as it was.
    if (this.#options.isOpen(name)) this.#tell(name, file, this.#across.get(name) ?? [])
  }

  /** Compares what files say of each other, and tells of every file that has other findings now. */
  async #compare(): Promise<void> {
    const { findings } = await (this.#validator as Validator).across()
    const across = new Map<string, Finding[]>()
    for (const one of await this.#places.placed(findings)) {
      across.set(one.file, [...(across.get(one.file) ?? []), one])
    }
    this.#across = across
    for (const [name, file] of this.#files) this.#tell(name, file, across.get(name) ?? [])
  }

  #tell(name: string, file: KnownFile, across: readonly Finding[]): void {
    const findings = sortedFindings([...file.own, ...across])
    const told = JSON.stringify([findings, file.facts], withNumbers)
    if (told === file.told) return
    file.told = told
    this.#options.checked({ name, findings, facts: file.facts })
  }
}

/** The words that a validator without files looks for. */
const firstWords = ['CustomResourceDefinition', 'ValidatingAdmissionPolicy', 'pod-security.']

function withNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
