/** Times of RFC 3339 as text, read and refused in the words that public clients know. */
import { quotedBytes } from './quoted.ts'

/** A time in UTC. */
export interface Moment {
  /** Whole seconds: `2024-01-31T12:00:00`. */
  readonly seconds: string
  /** The digits of the fraction, as many as the text has. */
  readonly fraction: string
}

const layouts = {
  time: '2006-01-02T15:04:05Z07:00',
  'micro time': '2006-01-02T15:04:05.000000Z07:00',
} as const

/** Reads a time, or a micro time, whose fraction has six digits; gives why it is none as an Error. */
export function parseMoment(text: string, form: keyof typeof layouts): Moment | Error {
  return new MomentReader(text, form).read()
}

/** Reads one element of the layout after the other. What is left of the text, not where it began, names the problem. */
class MomentReader {
  readonly #text: string
  readonly #form: keyof typeof layouts
  #rest: string

  constructor(text: string, form: keyof typeof layouts) {
    this.#text = text
    this.#form = form
    this.#rest = text
  }

  read(): Moment | Error {
    try {
      return this.#moment()
    } catch (error) {
      if (error instanceof MomentError) return error
      throw error
    }
  }

  #moment(): Moment {
    const year = this.#number(/^\d{4}/, '2006')
    this.#literal('-')
    const month = this.#within('month', 1, 12, this.#number(/^\d\d/, '01'))
    this.#literal('-')
    const day = this.#number(/^\d\d/, '02')
    this.#literal('T')
    const hour = this.#within('hour', 0, 23, this.#number(/^\d\d?/, '15'))
    this.#literal(':')
    const minute = this.#within('minute', 0, 59, this.#number(/^\d\d/, '04'))
    this.#literal(':')
    const second = this.#within('second', 0, 59, this.#number(/^\d\d/, '05'))
    const fraction = this.#fraction()
    const offset = this.#offset()
    if (this.#rest !== '') this.#refuse(`: extra text: ${quotedBytes(this.#rest)}`)
    const at = new Date(0)
    at.setUTCFullYear(year, month - 1, day)
    if (at.getUTCDate() !== day) this.#refuse(': day out of range')
    at.setUTCHours(hour, minute - offset, second)
    const iso = at.toISOString()
    if (iso.length > 24) this.#refuse(': year out of range')
    return { seconds: iso.slice(0, 19), fraction }
  }

  #number(pattern: RegExp, element: string): number {
    const found = pattern.exec(this.#rest)?.[0] ?? this.#unreadable(element)
    this.#rest = this.#rest.slice(found.length)
    return Number(found)
  }

  #literal(text: string): void {
    if (!this.#rest.startsWith(text)) this.#unreadable(text)
    this.#rest = this.#rest.slice(text.length)
  }

  #within(name: string, least: number, most: number, value: number): number {
    return value < least || value > most ? this.#refuse(`: ${name} out of range`) : value
  }

  #fraction(): string {
    const found =
      this.#form === 'time'
        ? (/^[.,]\d{1,100}/.exec(this.#rest)?.[0] ?? '')
        : (/^[.,]\d{6}/.exec(this.#rest)?.[0] ?? this.#unreadable('.000000'))
    this.#rest = this.#rest.slice(found.length)
    return found.slice(1)
  }

  /** Minutes to the east. */
  #offset(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1)
      return 0
    }
    const found = /^([+-])(\d\d):(\d\d)/.exec(this.#rest) ?? this.#unreadable('Z07:00')
    const [all, sign, hours, minutes] = found
    this.#rest = this.#rest.slice(all.length)
    this.#within('time zone offset hour', 0, 24, Number(hours))
    this.#within('time zone offset minute', 0, 60, Number(minutes))
    return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  }

  #unreadable(element: string): never {
    const layout = layouts[this.#form]
    const found = `cannot parse ${quotedBytes(this.#rest)} as ${quotedBytes(element)}`
    return this.#refuse(` as ${quotedBytes(layout)}: ${found}`)
  }

  #refuse(why: string): never {
    throw new MomentError(`parsing time ${quotedBytes(this.#text)}${why}`)
  }
}

class MomentError extends Error {}
