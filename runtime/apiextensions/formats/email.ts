import { isIP } from 'node:net'

/** A mail address as in a header: `a@b.c`, or with a name, `A B <a@b.c>`; comments may stand where blanks may. */
export function isEmail(text: string): boolean {
  return new AddressReader(text).readAddress()
}

const blank = /[ \t]*/y
/** A word of an address. Characters beyond ASCII are letters. */
const dottedAtom = /(?:[!#-'*+\-./-9=?A-Z^-~]|[^\0-\x7f])+/y
const quoted = /"((?:[ \t!#-[\]-~]|[^\0-\x7f]|\\(?:[ \t!-~]|[^\0-\x7f]))*)"/y
const literal = /\[(?:[!-Z^-~]|[^\0-\x7f])*\]/y

/** True for an IP address in brackets. */
function isAddress(text = ''): boolean {
  const address = text.slice(1, -1)
  return isIP(address) !== 0 && !address.includes('%')
}

class AddressReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  readAddress(): boolean {
    return this.#readMailbox() && this.#skipComments() && this.#at === this.#text.length
  }

  #readMailbox(): boolean {
    this.#read(blank)
    const start = this.#at
    if (this.#readSpec()) {
      this.#read(blank)
      return true
    }
    this.#at = start
    if (this.#text[this.#at] !== '<' && !this.#readPhrase()) return false
    this.#read(blank)
    return this.#skip('<') && this.#readSpec() && this.#skip('>')
  }

  /** `local@domain`. */
  #readSpec(): boolean {
    this.#read(blank)
    const name = this.#text[this.#at] === '"' ? this.#read(quoted) : this.#readDotted()
    if (name === undefined || name === '""' || !this.#skip('@')) return false
    this.#read(blank)
    if (this.#text[this.#at] === '[') return isAddress(this.#read(literal))
    return this.#readDotted() !== undefined
  }

  #readDotted(): string | undefined {
    const found = this.#read(dottedAtom)
    if (found === undefined || found.startsWith('.') || found.endsWith('.')) return undefined
    return found.includes('..') ? undefined : found
  }

  /** The name before an address: words and quoted texts. */
  #readPhrase(): boolean {
    let words = 0
    for (;;) {
      if (words > 0 && !this.#skipComments()) return false
      this.#read(blank)
      const pattern = this.#text[this.#at] === '"' ? quoted : dottedAtom
      if (this.#read(pattern) === undefined) return words > 0
      words++
    }
  }

  /** Skips blanks and comments; false if a comment has no end. */
  #skipComments(): boolean {
    this.#read(blank)
    while (this.#skip('(')) {
      if (!this.#skipComment()) return false
      this.#read(blank)
    }
    return true
  }

  #skipComment(): boolean {
    for (let depth = 1; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]
      if (character === '\\') this.#at++
      else if (character === '(') depth++
      else if (character === ')' && --depth === 0) {
        this.#at++
        return true
      }
    }
    return false
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #read(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}
