import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { Check } from '../../kernel/walker/field.ts'

const longestDriver = 63

/**
 * A driver is named like a domain, in short.
 * Upper case is allowed: the form is judged on the name in lower case. Length comes before form, which an absent name does
 * not have either.
 */
export const driverName: Check<string> = (name) => {
  if ((name.value?.length ?? 0) > longestDriver) name.tooLong('', longestDriver)
  name.judgeMissing('', (text) => dnsSubdomainProblems(text.toLowerCase()))
}
