/** Names of signers: a domain of at least two labels and a path. */
import { dnsSubdomainProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { invalid, problems, required, tooLong } from './findings.ts'

const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
const longest = 571

/** What is wrong with the name of a signer. */
export function signerProblems(path: string, name: string): readonly Finding[] {
  if (name === '') return [required(path)]
  const [domain = '', ...rest] = name.split('/')
  if (rest.length !== 1 || rest[0] === '' || !domain.includes('.'))
    return [invalid(path, name, form)]
  return [
    ...problems(path, name, dnsSubdomainProblems(domain)),
    ...problems(path, name, dnsSubdomainProblems(rest[0] ?? '').length > 0 ? [form] : []),
    ...(name.length > longest ? [tooLong(path, longest)] : []),
  ]
}
