/** Checks of texts and of maps of texts, which schema files name for single fields. */

import {
  absolutePathProblems,
  backstepProblems,
  belowProblems,
  volumeFileProblems,
} from '../../kernel/meta/file-paths.ts'
import {
  configKeyProblems,
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
  referenceProblems,
} from '../../kernel/meta/names.ts'
import { shownIntOrString } from '../../kernel/validation/go-value.ts'
import { endpointAddressProblems } from '../../kernel/values/endpoint-addresses.ts'
import { intOrPercentProblems, percentBoundProblems } from '../../kernel/values/int-or-percent.ts'
import type { Check } from '../../kernel/walker/field.ts'

type Strings = Readonly<Record<string, string>>

/**
 * A text, or each text of a list, has a form; an empty one that stands alone is not judged.
 * Of a list every item is judged, an empty text too, and the error stands at the item.
 */
export function format(problemsOf: (text: string) => readonly string[]): Check<string | string[]> {
  return (field) => {
    const { value } = field as { readonly value: unknown }
    if (!Array.isArray(value)) field.checkText('', problemsOf)
    else
      for (const [index, text] of value.entries())
        field.invalidAll(`[${index}]`, problemsOf(text), text)
  }
}

/** A DNS label: lower case letters, digits and hyphens, at most 63. */
export const dnsLabel = format(dnsLabelProblems)
/** DNS labels joined by dots, at most 253 characters. */
export const dnsSubdomain = format(dnsSubdomainProblems)
/** A DNS label that begins with a letter. */
export const dns1035Label = format(dns1035LabelProblems)
/** A name that refers to something, and would be one segment of its path. */
export const pathSegment = format(referenceProblems)
/** The key of a label: a name, after a DNS subdomain and a slash or alone. */
export const qualifiedName = format(qualifiedNameProblems)
/** The same, and an empty or absent text has to be one too. */
export const requiredQualifiedName: Check<string> = (field) =>
  field.invalidAll('', qualifiedNameProblems(field.value ?? ''), field.value ?? '')
/** DNS labels joined by dots; an empty or absent text has to be one too. */
export const requiredDnsSubdomain: Check<string> = (field) =>
  field.invalidAll('', dnsSubdomainProblems(field.value ?? ''), field.value ?? '')
/** A DNS label; an empty or absent text has to be one too. */
export const requiredDnsLabel: Check<string> = (field) =>
  field.invalidAll('', dnsLabelProblems(field.value ?? ''), field.value ?? '')
/** The value of a label. */
export const labelValue = format(labelValueProblems)
/** A path without `..`. */
export const noBacksteps = format(backstepProblems)
/** A path below a folder that is given elsewhere. */
export const relativePath = format(belowProblems)
/** A path from the root. */
export const absolutePath = format(absolutePathProblems)
/** The same, and an empty or absent text is missing, too. */
export const requiredAbsolutePath: Check<string> = (field) => {
  if (!field.value) field.required('')
  field.judgeMissing('', absolutePathProblems)
}
/** The path of a file in a volume. */
export const volumeFile = format(volumeFileProblems)

/**
 * A text, list or map has something in it.
 * Zero and `false` count as absent, too. The error is Required.
 */
export const nonEmpty: Check<unknown> = (field) => {
  const { value } = field
  const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  if (!value || empty) field.required('')
}

/** An address of an endpoint, or each of a list; an empty text is none. */
export const endpointAddress: Check<string | string[]> = (field) => {
  if (Array.isArray(field.value)) format((text) => endpointAddressProblems(text).slice(0, 1))(field)
  else if (field.value !== undefined) {
    field.invalidAll('', endpointAddressProblems(`${field.value}`))
  }
}

/**
 * Keys and values of labels; an error stands at the map.
 * First the key of an entry, then its value, in the order of the map; the error shows which of them
 * it is about.
 */
export const labels: Check<Strings> = (field) => {
  for (const [key, value = ''] of Object.entries(field.value ?? {})) {
    field.invalidAll('', qualifiedNameProblems(key), key)
    field.invalidAll('', labelValueProblems(value), value)
  }
}

/**
 * Keys that can be names of files.
 * Errors stand at the entry, `data[key]`. Values are not looked at.
 */
export const configKeys: Check<Strings> = (field) => {
  for (const key of Object.keys(field.value ?? {})) {
    field.invalidAll(`[${key}]`, configKeyProblems(key), key)
  }
}

/** An amount as messages show it: a text under the name of its type. */
export function shownAmount(value: number | string): unknown {
  return typeof value === 'string' ? shownIntOrString(value) : value
}

/**
 * A number of things, or a percentage of them.
 * A text is a percentage, `25%`; a number has no upper bound here.
 */
export const intOrPercent: Check<number | string> = (field) => {
  if (field.value !== undefined)
    field.invalidAll('', intOrPercentProblems(field.value), shownAmount(field.value))
}

/**
 * A percentage of at most a hundred.
 * Numbers are not bounded by it, and a text that is no percentage is the business of
 * `intOrPercent`.
 */
export const percentBound: Check<number | string> = (field) => {
  if (field.value !== undefined)
    field.invalidAll('', percentBoundProblems(field.value), shownAmount(field.value))
}
