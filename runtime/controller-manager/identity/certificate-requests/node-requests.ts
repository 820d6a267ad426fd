/** What certificates of nodes have to look like, in the words of the reference. */
import type { CertificateRequest } from '../../../certificates/certificates.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'

/** The names of signers on a platform. */
export function signerNames({ domain, prefix, agent }: Platform) {
  return {
    clients: `${domain}/${prefix}-apiserver-client`,
    nodeClients: `${domain}/${prefix}-apiserver-client-${agent}`,
    nodeServers: `${domain}/${agent}-serving`,
    unknown: `${domain}/legacy-unknown`,
  }
}

/** What is wrong with a request of a node for a certificate that it shows the server; undefined if nothing is. */
export function nodeClientProblem(
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  const { hosts, addresses, mailAddresses, uris } = request
  return (
    organizationProblem(request) ??
    (hosts.length > 0 ? 'DNS subjectAltNames are not allowed' : undefined) ??
    (mailAddresses.length > 0 ? mailProblem : undefined) ??
    (addresses.length > 0 ? 'IP subjectAltNames are not allowed' : undefined) ??
    (uris.length > 0 ? uriProblem : undefined) ??
    commonNameProblem(request) ??
    usageProblem(usages, 'client auth')
  )
}

/** What is wrong with a request of a node for a certificate that it serves with; undefined if nothing is. */
export function nodeServerProblem(
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  const { hosts, addresses, mailAddresses, uris } = request
  const isNameless = hosts.length === 0 && addresses.length === 0
  return (
    organizationProblem(request) ??
    (isNameless ? 'DNS or IP subjectAltName is required' : undefined) ??
    (mailAddresses.length > 0 ? mailProblem : undefined) ??
    (uris.length > 0 ? uriProblem : undefined) ??
    usageProblem(usages, 'server auth') ??
    commonNameProblem(request)
  )
}

/** What is wrong with the usages of a certificate of any other client; undefined if nothing is. */
export function clientUsageProblem(usages: readonly string[]): string | undefined {
  const allowed = ['digital signature', 'key encipherment', 'client auth']
  const wrong = usages.find((one) => !allowed.includes(one))
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`
  return usages.includes('client auth')
    ? undefined
    : 'missing required usage for client certificate: client auth'
}

const mailProblem = 'Email subjectAltNames are not allowed'
const uriProblem = 'URI subjectAltNames are not allowed'

function organizationProblem({ organizations }: CertificateRequest): string | undefined {
  const isNode = organizations.length === 1 && organizations[0] === 'system:nodes'
  return isNode ? undefined : 'subject organization is not system:nodes'
}

function commonNameProblem({ commonName }: CertificateRequest): string | undefined {
  if (commonName.startsWith('system:node:')) return undefined
  return 'subject common name does not begin with system:node:'
}

/** Key encipherment may be left out, as keys that are not RSA do not have it. */
function usageProblem(usages: readonly string[], purpose: string): string | undefined {
  const wanted = [purpose, 'digital signature', 'key encipherment'].sort()
  const given = new Set(usages)
  const rest = wanted.filter((one) => one !== 'key encipherment')
  const isOne = [wanted, rest].some(
    (set) => set.length === given.size && set.every((one) => given.has(one)),
  )
  return isOne ? undefined : `usages did not match [${wanted.join(' ')}]`
}
