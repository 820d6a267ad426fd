/** Names that begin with a domain, such as `example.com/controller`. */
import type { FieldError } from '../validation/field-error.ts'
import { invalid, invalidAll } from '../validation/field-errors.ts'
import { dnsSubdomainProblems } from './names.ts'

/** What is wrong with a domain and the path after it, at `field`: each error shows the part that it is about. */
export function domainPathErrors(field: string, text: string): readonly FieldError[] {
  const [domain = '', ...rest] = text.split('/')
  const path = rest.join('/')
  if (domain === '' || path === '') {
    return [invalid(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  }
  const why = `Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`
  const wrong = /[^A-Za-z0-9/\-._~%!$&'()*+,;=:]/.test(path) ? [why] : []
  return [
    ...invalidAll(field, domain, dnsSubdomainProblems(domain)),
    ...invalidAll(field, path, wrong),
  ]
}
