/** Names of signers: a domain of at least two labels and a path. */
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, invalidAll, required, tooLong } from '../types/field-errors.ts'

const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
const longest = 571

/** What is wrong with the name of a signer. */
export function signerProblems(path: string, name: string): readonly FieldError[] {
  if (name === '') return [required(path)]
  const [domain = '', ...rest] = name.split('/')
  if (rest.length !== 1 || rest[0] === '' || !domain.includes('.'))
    return [invalid(path, name, form)]
  return [
    ...invalidAll(path, name, dnsSubdomainProblems(domain)),
    ...invalidAll(path, name, dnsSubdomainProblems(rest[0] ?? '').length > 0 ? [form] : []),
    ...(name.length > longest ? [tooLong(path, longest)] : []),
  ]
}
