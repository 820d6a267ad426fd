/** The texts of a run: read once where they are small, and never beyond a limit. */
import { readFileSync, statSync } from 'node:fs'
import type { Source } from '../../../runtime/validate/validate.ts'
import type { FoundFile } from './files.ts'

/** How many bytes of files are kept between the times that they are looked at; others are read again. */
const keptBytes = 16 * 1024 * 1024

/** A text that was left out because it is too large. */
export interface TooLarge {
  readonly name: string
  readonly tooLarge: true
}

/** Files, which are looked at more than once. */
export class Sources {
  readonly #kept = new Map<string, Source | TooLarge>()
  readonly #limit: number
  readonly #texts: (name: string) => string | undefined
  #bytes = 0

  /** `texts` has what counts in place of a file. */
  constructor(limit: number, texts: (name: string) => string | undefined = () => undefined) {
    this.#limit = limit
    this.#texts = texts
  }

  /** Looks at a file for the first time. */
  async read(file: FoundFile): Promise<Source | TooLarge> {
    const fromInput = file.name === '-'
    const source = fromInput ? await standardInput(this.#limit) : this.#at(file)
    const length = 'tooLarge' in source ? 0 : source.text.length
    if (!fromInput && this.#bytes + length > keptBytes) return source
    this.#kept.set(file.name, source)
    this.#bytes += length
    return source
  }

  /** Looks at a file again. */
  get(file: FoundFile): Source | TooLarge {
    return this.#kept.get(file.name) ?? this.#at(file)
  }

  /** Looks at a checked file once more; undefined for one that is too large now. */
  textOf(name: string): Source | undefined {
    const source = this.get({ name: name === shownName('-') ? '-' : name, named: true })
    return 'tooLarge' in source ? undefined : source
  }

  /** Looks at a file for the last time. */
  take(file: FoundFile): Source | TooLarge {
    const source = this.get(file)
    if (file.name !== '-') this.#kept.delete(file.name)
    return source
  }

  /** Read at once: a thousand small files take a quarter of the time that promises of them take. */
  #at({ name, named }: FoundFile): Source | TooLarge {
    const text = this.#texts(name)
    if (text !== undefined) return { name, text, mayBeOther: !named }
    if (statSync(name).size > this.#limit) return { name, tooLarge: true }
    return { name, text: readFileSync(name), mayBeOther: !named }
  }
}

async function standardInput(limit: number): Promise<Source | TooLarge> {
  const name = shownName('-')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length
    if (bytes > limit) return { name, tooLarge: true }
    chunks.push(chunk as Buffer)
  }
  return { name, text: Buffer.concat(chunks) }
}

/** The name that findings have for a file. */
export function shownName(name: string): string {
  return name === '-' ? '<stdin>' : name
}
