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
  pathSegmentProblems,
  qualifiedNameProblems,
} from '../../kernel/meta/names.ts'
import { endpointAddressProblems } from '../../kernel/values/endpoint-addresses.ts'
import { intOrPercentProblems, percentBoundProblems } from '../../kernel/values/int-or-percent.ts'
import type { Check } from '../../kernel/walker/field.ts'

type Strings = Readonly<Record<string, string>>

/** A text, or each text of a list, has a form; an empty one that stands alone is not judged. */
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
/** A name that can be one segment of a path. */
export const pathSegment = format(pathSegmentProblems)
/** The key of a label: a name, after a DNS subdomain and a slash or alone. */
export const qualifiedName = format(qualifiedNameProblems)
/** The value of a label. */
export const labelValue = format(labelValueProblems)
/** A path without `..`. */
export const noBacksteps = format(backstepProblems)
/** A path below a folder that is given elsewhere. */
export const relativePath = format(belowProblems)
/** A path from the root. */
export const absolutePath = format(absolutePathProblems)
/** The path of a file in a volume. */
export const volumeFile = format(volumeFileProblems)

/** A text, list or map has something in it. */
export const nonEmpty: Check<unknown> = (field) => {
  const { value } = field
  const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  if (!value || empty) field.required('')
}

/** An address of an endpoint, or each of a list; an empty text is none. */
export const endpointAddress: Check<string | string[]> = (field) => {
  if (Array.isArray(field.value)) format(endpointAddressProblems)(field)
  else if (field.value !== undefined) {
    field.invalidAll('', endpointAddressProblems(`${field.value}`))
  }
}

/** Keys and values of labels; an error stands at the map. */
export const labels: Check<Strings> = (field) => {
  for (const [key, value = ''] of Object.entries(field.value ?? {})) {
    field.invalidAll('', qualifiedNameProblems(key), key)
    field.invalidAll('', labelValueProblems(value), value)
  }
}

/** Keys that can be names of files. */
export const configKeys: Check<Strings> = (field) => {
  for (const key of Object.keys(field.value ?? {})) {
    field.invalidAll(`[${key}]`, configKeyProblems(key), key)
  }
}

/** A number of things, or a percentage of them. */
export const intOrPercent: Check<number | string> = (field) => {
  if (field.value !== undefined) field.invalidAll('', intOrPercentProblems(field.value))
}

/** A percentage of at most a hundred. */
export const percentBound: Check<number | string> = (field) => {
  if (field.value !== undefined) field.invalidAll('', percentBoundProblems(field.value))
}
