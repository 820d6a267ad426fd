/** Names that begin with a domain, such as `example.com/controller`. */
import { dnsSubdomainProblems } from './names.ts'

/** What is wrong with a domain and the path after it. */
export function domainPathProblems(text: string): readonly string[] {
  const [domain = '', ...path] = text.split('/')
  if (domain === '' || path.join('/') === '') {
    return ['must be a domain-prefixed path (such as "acme.io/foo")']
  }
  const bad = path.join('/').match(/[^A-Za-z0-9/\-._~%!$&'()*+,;=:]/)
  return [
    ...dnsSubdomainProblems(domain),
    ...(bad === null
      ? []
      : [`Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`]),
  ]
}
