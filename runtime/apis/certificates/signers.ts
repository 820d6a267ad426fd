import { dnsLabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { Check } from '../../kernel/walker/field.ts'

const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
const short = 'should be a domain with at least two segments separated by dots'
const longestDomain = 253
/** A domain, a slash, and a path of 317. */
const longest = 571

/**
 * The name of a signer: a domain of at least two labels and a path.
 * A text that is not two parts gets that one error; otherwise the errors of domain, path and length come together, each about
 * its part, and of several labels that are none the first is told. An absent name is left to the check of its owner.
 */
export const signerName: Check<string> = (field) => {
  if (field.value === undefined) return
  if (field.value === '') return field.required('')
  const [domain = '', path, ...rest] = field.value.split('/')
  if (rest.length > 0 || path === undefined) return field.invalid('', form)
  if (domain.length > longestDomain) field.tooLong('', longestDomain)
  field.invalidAll('', firstLabelProblems(domain, dnsLabelProblems), domain)
  if (!domain.includes('.')) field.invalid('', short, domain)
  field.invalidAll('', firstLabelProblems(path, dnsSubdomainProblems), path)
  if (field.value.length > longest) field.tooLong('', longest)
}

/** What is wrong with the first label that is none. */
function firstLabelProblems(
  text: string,
  problemsOf: (label: string) => readonly string[],
): readonly string[] {
  const [wrong] = text.split('.').filter((label) => problemsOf(label).length > 0)
  if (wrong === undefined) return []
  return problemsOf(wrong).map((why) => `validating label ${quoted(wrong)}: ${why}`)
}
