import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { Check } from '../../kernel/walker/field.ts'

const longestDriver = 63

/**
 * A driver is named like a domain, in short.
 * Upper case is allowed: the form is judged on the name in lower case. Length comes before form; an
 * absent or empty name is the business of its owner.
 */
export const driverName: Check<string> = (name) => {
  if (!name.value) return
  if (name.value.length > longestDriver) name.tooLong('', longestDriver)
  name.invalidAll('', dnsSubdomainProblems(name.value.toLowerCase()))
}
