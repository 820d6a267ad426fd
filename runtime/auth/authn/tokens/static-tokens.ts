import type { UserInfo } from '../../../kernel/auth/user-info.ts'
import { PresentedToken, type TokenAuthenticator } from './token-authenticator.ts'

/** What a file of tokens says: users by the digest of their token, and everything that is wrong with the file. */
export interface StaticTokens {
  readonly users: ReadonlyMap<string, UserInfo>
  /** With the line of each; a file that has any is not to be used. */
  readonly problems: readonly string[]
  /** With the line of each: what is passed over. */
  readonly warnings: readonly string[]
}

/**
 * Reads a file of tokens (N-04): a line each, of token, user, uid and perhaps a column of groups, separated by commas; a column
 * that holds commas or quotation marks is quoted. Lines without content and columns beyond the fourth are passed over.
 * No finding repeats a token.
 */
export function parseStaticTokens(text: string): StaticTokens {
  const users = new Map<string, UserInfo>()
  const problems: string[] = []
  const warnings: string[] = []
  for (const { line, columns, problem } of csvRecords(text)) {
    if (problem !== undefined) problems.push(`line ${line}: ${problem}`)
    else if (columns.length < 3) {
      const found = columns.length === 1 ? '1 column' : `${columns.length} columns`
      problems.push(`line ${line}: ${found}, but at least 3 are needed: token, user, uid`)
    } else {
      const [token = '', username = '', uid = '', groups] = columns
      if (token === '') {
        warnings.push(`line ${line}: the token is empty, so nobody can present it`)
        continue
      }
      const { digest } = new PresentedToken(token)
      if (users.has(digest))
        warnings.push(`line ${line}: the token is that of a line before, which it replaces`)
      users.set(digest, { username, ...(uid && { uid }), groups: groups?.split(',') ?? [] })
    }
  }
  return { users, problems, warnings }
}

/** Knows the tokens of a file. They are looked up by their digest, so that the time it takes tells nothing. */
export function staticTokenAuthenticator(users: StaticTokens['users']): TokenAuthenticator {
  const results = new Map([...users].map(([digest, user]) => [digest, { user }]))
  return { authenticate: (token) => results.get(token.digest) }
}

/** One record of a file of columns; its line is the one that it begins in. */
interface CsvRecord {
  readonly line: number
  readonly columns: readonly string[]
  readonly problem?: string
}

/** The records of a text (RFC 4180). A record with a problem ends with its line. */
function* csvRecords(text: string): Iterable<CsvRecord> {
  const reader = new CsvReader(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  for (;;) {
    const record = reader.next()
    if (record === undefined) return
    yield record
  }
}

/** Reads a text from its beginning to its end, once. */
class CsvReader {
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  /** The next record; undefined at the end. */
  next(): CsvRecord | undefined {
    while (this.#atBreak()) this.#skipBreak()
    if (this.#at >= this.#text.length) return undefined
    const line = this.#line
    const columns: string[] = []
    for (;;) {
      const column = this.#text[this.#at] === '"' ? this.#quoted() : this.#plain()
      if (column === undefined) return { line, columns: [], problem: this.#giveUp() }
      columns.push(column)
      if (this.#text[this.#at] === ',') this.#at++
      else break
    }
    this.#skipBreak()
    return { line, columns }
  }

  #atBreak(): boolean {
    const here = this.#text[this.#at]
    return here === '\n' || (here === '\r' && this.#text[this.#at + 1] === '\n')
  }

  #skipBreak(): void {
    if (this.#text[this.#at] === '\r') this.#at++
    if (this.#text[this.#at] === '\n') this.#at++
    this.#line++
  }

  /** A column without quotation marks; undefined if it holds one. */
  #plain(): string | undefined {
    const from = this.#at
    while (this.#at < this.#text.length && this.#text[this.#at] !== ',' && !this.#atBreak()) {
      if (this.#text[this.#at] === '"') return undefined
      this.#at++
    }
    return this.#text.slice(from, this.#at)
  }

  /** A quoted column, in which a doubled mark is one; undefined if it does not end, or something follows its end. */
  #quoted(): string | undefined {
    const parts: string[] = []
    for (;;) {
      const end = this.#text.indexOf('"', this.#at + 1)
      if (end < 0) return undefined
      const part = this.#text.slice(this.#at + 1, end)
      this.#line += part.split('\n').length - 1
      parts.push(part)
      this.#at = end + 1
      if (this.#text[this.#at] !== '"') break
    }
    const ends = this.#at >= this.#text.length || this.#text[this.#at] === ',' || this.#atBreak()
    return ends ? parts.join('"') : undefined
  }

  /** Goes on behind the line of a problem. */
  #giveUp(): string {
    const end = this.#text.indexOf('\n', this.#at)
    this.#at = end < 0 ? this.#text.length : end
    if (end >= 0) this.#skipBreak()
    return 'a quotation mark stands where none may: a column that holds one is quoted as a whole, and the mark doubled'
  }
}
