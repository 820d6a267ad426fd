import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { Check } from '../../kernel/walker/field.ts'

const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
const longest = 571

/** The name of a signer: a domain of at least two labels and a path. */
export const signerName: Check<string> = (field) => {
  if (field.value === undefined) return
  if (field.value === '') return field.required('')
  const [domain = '', path = '', ...rest] = field.value.split('/')
  if (rest.length > 0 || path === '' || !domain.includes('.')) return field.invalid('', form)
  field.invalidAll('', dnsSubdomainProblems(domain))
  if (dnsSubdomainProblems(path).length > 0) field.invalid('', form)
  if (field.value.length > longest) field.tooLong('', longest)
}
