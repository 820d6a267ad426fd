/**
 * The formats of names and keys. Each `xProblems` function gives what is wrong with a text, in the messages of the public
 * API; an empty list means that the text is valid.
 */

import type { Random } from '../async/clock.ts'

/** Which names objects of a kind may have. */
export type NameFormat = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment'

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
/** What no subdomain has: for long texts, on which the other pattern would remember each label. */
const noSubdomain = /[^-.a-z0-9]|^[-.]|[-.]$|[-.]\.|\.-/
const qualified = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

/** The pattern of each format that is narrower than a DNS subdomain and that a definition can say, as its text. */
export const narrowerNamePatterns = {
  'dns-label': label.source,
  'dns-1035-label': label1035.source,
} as const satisfies Partial<Record<NameFormat, string>>

/** The longest label, in characters. */
export const longestLabel = 63

type Problems = readonly string[]

const none: Problems = []

/** What is wrong with a name by the format of its kind. With `prefix`, the text is a `generateName`, which may end in a hyphen. */
export function nameProblems(rule: NameFormat, name: string, prefix = false): Problems {
  const text = prefix && name.endsWith('-') ? `${name.slice(0, -1)}a` : name
  switch (rule) {
    case 'dns-label':
      return dnsLabelProblems(text)
    case 'dns-1035-label':
      return dns1035LabelProblems(text)
    case 'dns-subdomain':
      return dnsSubdomainProblems(text)
    case 'path-segment':
      return pathSegmentProblems(name)
  }
}

/** A lowercase RFC 1123 label of up to 63 characters. */
export function dnsLabelProblems(text: string): Problems {
  // What is a subdomain and no label has dots.
  const dotted = text.includes('.') && subdomain.test(text)
  if (dotted) return [...tooLong(text, 63), 'must not contain dots']
  return problems(
    text,
    63,
    label,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start " +
      "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  )
}

/** A DNS-1035 label of up to 63 characters. */
export function dns1035LabelProblems(text: string): Problems {
  return problems(
    text,
    63,
    label1035,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
      "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for " +
      "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  )
}

/** A lowercase RFC 1123 subdomain of up to 253 characters. */
export function dnsSubdomainProblems(text: string): Problems {
  return problems(
    text,
    253,
    text.length <= 253 ? subdomain : { test: (long) => !noSubdomain.test(long) },
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
      "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  )
}

/** Any text that is one segment of a URL path; the name of an object, which clients have to be able to ask for. */
export function pathSegmentProblems(text: string): Problems {
  if (/[\0\p{Surrogate}]/u.test(text)) return ['may not contain characters that no path can carry']
  return referenceProblems(text)
}

/** The same of a name that refers to something, which may not be there. */
export function referenceProblems(text: string): Problems {
  if (text === '.' || text === '..') return [`may not be '${text}'`]
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`)
}

/** The common case of a valid qualified name, for texts of up to 63 characters. */
const plainName =
  /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/

/** A label key, annotation key or finalizer: an optional DNS subdomain, a slash, a name of up to 63 characters. */
export function qualifiedNameProblems(text: string): Problems {
  if (text.length <= 63 && plainName.test(text)) return none
  const parts = text.split('/')
  const name = parts.at(-1) ?? ''
  const pattern =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
  if (parts.length > 2) {
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
        "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. " +
        "'example.com/MyName')",
    ]
  }
  return [
    ...(parts.length === 2 ? prefixProblems(parts[0] ?? '') : []),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...tooLong(name, 63).map((problem) => `name part ${problem}`),
    ...(qualified.test(name) ? [] : [pattern]),
  ]
}

function prefixProblems(prefix: string): Problems {
  if (prefix === '') return ['prefix part must be non-empty']
  return dnsSubdomainProblems(prefix).map((problem) => `prefix part ${problem}`)
}

/** A label's value: empty, or up to 63 characters. */
export function labelValueProblems(text: string): Problems {
  return problems(
    text,
    63,
    labelValue,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
      "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used " +
      "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  )
}

/** A key of a ConfigMap or Secret: a file name of up to 253 characters. */
export function configKeyProblems(text: string): Problems {
  const found = problems(
    text,
    253,
    /^[-._a-zA-Z0-9]+$/,
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or " +
      "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  )
  if (text === '.') return [...found, "must not be '.'"]
  if (text === '..') return [...found, "must not be '..'"]
  return text.startsWith('..') ? [...found, "must not start with '..'"] : found
}

/** True for a valid label key. */
export function isLabelKey(text: string): boolean {
  return qualifiedNameProblems(text).length === 0
}

/** True for a valid label value. */
export function isLabelValue(text: string): boolean {
  return labelValueProblems(text).length === 0
}

function problems(
  text: string,
  max: number,
  pattern: Pick<RegExp, 'test'>,
  rule: string,
): Problems {
  const long = tooLong(text, max)
  return pattern.test(text) ? long : [...long, rule]
}

/** The bound is one of bytes, although the message says characters. */
function tooLong(text: string, max: number): Problems {
  const long = text.length > max || Buffer.byteLength(text) > max
  return long ? [`must be no more than ${max} characters`] : none
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** A name from `generateName`: the first 58 characters of the prefix and five random ones, without vowels. */
export function generateObjectName(prefix: string, random: Random): string {
  const pick = () => alphabet[Math.floor(random() * alphabet.length)]
  return prefix.slice(0, 58) + Array.from({ length: 5 }, pick).join('')
}
