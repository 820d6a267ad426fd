/** Credentials that stand in files of their own, which others write anew. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { CredentialSource, Credentials } from '../client/client.ts'
import type { Awaitable } from '../kernel/async/awaitable.ts'
import type { Clock } from '../kernel/async/clock.ts'

/** The parts of credentials that a file of its own may hold. */
export type CredentialPart = 'ca' | 'cert' | 'key' | 'token'

/** Credentials, and the files that parts of them come from. */
export interface CredentialFiles {
  readonly fixed: Credentials
  readonly paths: Readonly<Partial<Record<CredentialPart, string>>>
  /** What the files held when they were first read. */
  readonly texts: Readonly<Partial<Record<CredentialPart, string>>>
}

/** For so long, files are taken to be as they were. A 401 has them read at once. */
const freshMs = 10_000

/** The text of a file, without white space around it. */
export async function readCredentialFile(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim()
}

/** What never changes as it is, anything else as a source. */
export function credentialFiles(
  files: CredentialFiles,
  clock: Clock,
): Credentials | CredentialSource {
  const known = { ...files.fixed, ...files.texts }
  return Object.keys(files.paths).length === 0 ? known : new FileCredentials(files, known, clock)
}

/** The credentials of files as they are now. A file that is gone, or is only half written, counts as it was. */
class FileCredentials implements CredentialSource {
  readonly #files: CredentialFiles
  readonly #clock: Clock
  #known: Credentials
  #freshUntil: number
  #reading: Promise<Credentials> | undefined

  constructor(files: CredentialFiles, known: Credentials, clock: Clock) {
    this.#files = files
    this.#known = known
    this.#clock = clock
    this.#freshUntil = clock.monotonic() + freshMs
  }

  current(): Awaitable<Credentials> {
    return this.#clock.monotonic() < this.#freshUntil ? this.#known : this.#read()
  }

  async refused(credentials: Credentials): Promise<boolean> {
    return (await this.#read()) !== credentials
  }

  #read(): Promise<Credentials> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readOnce(): Promise<Credentials> {
    const next = { ...this.#known }
    for (const [part, path] of Object.entries(this.#files.paths)) {
      const text = await readCredentialFile(path).catch(() => '')
      if (text !== '') next[part as CredentialPart] = text
    }
    this.#freshUntil = this.#clock.monotonic() + freshMs
    if (!isSame(next, this.#known) && isPair(next)) this.#known = next
    return this.#known
  }
}

function isSame(one: Credentials, other: Credentials): boolean {
  return (['ca', 'cert', 'key', 'token'] as const).every((part) => one[part] === other[part])
}

/** Certificate and key are two files: between the writes they do not belong together. */
function isPair({ cert, key }: Credentials): boolean {
  if (cert === undefined || key === undefined) return true
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}
