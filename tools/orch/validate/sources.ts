/** The texts of a run: read once where they are small, and never beyond a limit. */
import { createReadStream, readFileSync, statSync } from 'node:fs'
import type { RuleId, Source } from '../../../runtime/validate/validate.ts'
import type { FoundFile } from './files.ts'
import { readProblem } from './given-paths.ts'

/** How many bytes of files are kept between the times that they are looked at; others are read again. */
const keptBytes = 4 * 1024 * 1024

/** A text that is not looked at, and why. */
export interface LeftOut {
  readonly name: string
  readonly rule: Extract<RuleId, 'text.size' | 'text.unreadable'>
  readonly message: string
}

/** True for a text that is not looked at. */
export function isLeftOut(source: Source | LeftOut): source is LeftOut {
  return 'rule' in source
}

/** Files, which are looked at more than once. */
export class Sources {
  readonly #kept = new Map<string, Source | LeftOut>()
  readonly #limit: number
  readonly #texts: (name: string) => string | undefined
  #bytes = 0

  /** `texts` has what counts in place of a file. */
  constructor(limit: number, texts: (name: string) => string | undefined = () => undefined) {
    this.#limit = limit
    this.#texts = texts
  }

  /** Looks at a file for the first time. */
  async read(file: FoundFile): Promise<Source | LeftOut> {
    const source = file.once ? await this.#whole(file) : this.#at(file)
    const length = isLeftOut(source) ? 0 : source.text.length
    if (!file.once && this.#bytes + length > keptBytes) return source
    this.#kept.set(file.name, source)
    this.#bytes += length
    return source
  }

  /** Looks at a file again. */
  get(file: FoundFile): Source | LeftOut {
    return this.#kept.get(file.name) ?? this.#at(file)
  }

  /** Looks at a checked file once more; undefined for one that cannot be looked at any more. */
  textOf(name: string): Source | undefined {
    const source = this.get({ name: name === shownName('-') ? '-' : name, named: true })
    return isLeftOut(source) ? undefined : source
  }

  /** Looks at a file for the last time. */
  take(file: FoundFile): Source | LeftOut {
    const source = this.get(file)
    if (!file.once) this.#kept.delete(file.name)
    return source
  }

  /** Read at once: a thousand small files take a quarter of the time that promises of them take. */
  #at({ name, named }: FoundFile): Source | LeftOut {
    const text = this.#texts(name)
    if (text !== undefined) return { name, text, mayBeOther: !named }
    try {
      const info = statSync(name)
      if (!info.isFile()) return unreadable(name, 'it is no regular file')
      if (info.size > this.#limit) return tooLarge(name, this.#limit)
      return { name, text: readFileSync(name), mayBeOther: !named }
    } catch (error) {
      return unreadable(name, readProblem(error))
    }
  }

  /** Reads what can be read once: standard input, or a pipe that was named. */
  async #whole({ name }: FoundFile): Promise<Source | LeftOut> {
    const input = name === '-' ? process.stdin : createReadStream(name)
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of input) {
        bytes += (chunk as Buffer).length
        if (bytes > this.#limit) return tooLarge(shownName(name), this.#limit)
        chunks.push(chunk as Buffer)
      }
    } catch (error) {
      return unreadable(shownName(name), readProblem(error))
    }
    return { name: shownName(name), text: Buffer.concat(chunks) }
  }
}

/** A text that has more bytes than are looked at. */
export function tooLarge(name: string, limit: number): LeftOut {
  const message = `the file is larger than ${limit} bytes, and nothing in it was checked`
  return { name, rule: 'text.size', message }
}

function unreadable(name: string, why: string): LeftOut {
  return { name, rule: 'text.unreadable', message: `nothing in it was checked: ${why}` }
}

/** The name that findings have for a file. */
export function shownName(name: string): string {
  return name === '-' ? '<stdin>' : name
}
