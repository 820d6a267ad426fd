/** The certificates of a control plane on this machine: made at its first start, kept, and renewed at a start before they end. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { writePrivateFile } from '../../daemons/private-file.ts'
import { parseSigningKey } from '../../runtime/auth/auth.ts'
import {
  type CertificateFacts,
  type CertificatePair,
  createAuthority,
  issueCertificate,
  readPair,
} from '../../runtime/certificates/certificates.ts'
import type { SecureServing } from '../../runtime/serving/serving.ts'

/** What a server shows, and what its administrator shows to it. */
export interface LocalCertificates {
  /** The authority of both, in PEM. */
  readonly ca: string
  /** Where it is kept. */
  readonly authorityFiles: { readonly certFile: string; readonly keyFile: string }
  readonly server: CertificatePair
  /** The user is in the group that may do everything. */
  readonly admin: CertificatePair
  /** What the agent of a node on this machine shows, and where it is kept. */
  readonly agentFiles: { readonly certFile: string; readonly keyFile: string }
  /** What the server shows to it. */
  readonly agentClient: CertificatePair
  /** By what servers behind this one know it, and the authority that vouches for it and for no one else. */
  readonly frontProxy: CertificatePair & { readonly authority: string }
  /** Signs the tokens of service accounts; in PEM. */
  readonly tokenKey: string
}

const [hour, day] = [3_600_000, 86_400_000]

/** How long certificates are valid, and how long before their end they are renewed. */
const [authorityMs, certificateMs, renewalMs] = [3650 * day, 365 * day, 90 * day]

/** What the server is called where it passes requests on. */
const frontProxyName = 'front-proxy-client'

/** How servers behind this one learn from headers who asks: who passes requests on is vouched for by an authority of its own. */
export function frontProxyTrust({
  authority,
}: LocalCertificates['frontProxy']): NonNullable<SecureServing['requestHeader']> {
  return {
    authorities: { pem: authority },
    allowedNames: [frontProxyName],
    usernameHeaders: ['X-Remote-User'],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
  }
}

/** The names of this machine for itself, and those that programs find the server by: its service and the address of that. */
function hostsOf(brand: string, serviceAddress: string): readonly string[] {
  const service = ['', '.default', '.default.svc', '.default.svc.cluster.local']
  const names = service.map((rest) => brand + rest)
  return [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...names, serviceAddress])]
}

/** Where the agent of this machine listens. */
function agentHosts(): readonly string[] {
  return [...new Set(['localhost', '127.0.0.1', '::1', hostname()])]
}

/**
 * The certificates in a folder, whose files only their owner may read. What is missing, cannot be used, or is for other names is
 * made anew, and what ends soon.
 */
export async function localCertificates(
  folder: string,
  brand: string,
  now: number,
  serviceAddress = '10.0.0.1',
): Promise<LocalCertificates> {
  const lasts = { validFrom: now - hour, validUntil: now + certificateMs }
  const authorityIn = (path: string, commonName: string) =>
    kept(
      path,
      (pair) => isGood(pair, undefined, now),
      () => createAuthority({ commonName, ...lasts, validUntil: now + authorityMs }),
    )
  const ca = join(folder, 'ca')
  const authority = await authorityIn(ca, `${brand} authority`)
  const proxies = await authorityIn(join(folder, 'front-proxy-ca'), `${brand} proxies`)
  const issued = (
    name: string,
    facts: Omit<CertificateFacts, keyof typeof lasts>,
    by: CertificatePair = authority,
  ) =>
    kept(
      join(folder, name),
      (pair) => isGood(pair, by.cert, now) && isFor(pair, facts.hosts ?? []),
      () => issueCertificate({ ...facts, ...lasts }, by),
    )
  const agent = join(folder, 'agent')
  await issued('agent', { commonName: `${brand}-agent`, usages: ['server'], hosts: agentHosts() })
  return {
    ca: authority.cert,
    agentFiles: { certFile: `${agent}.crt`, keyFile: `${agent}.key` },
    agentClient: await issued('apiserver-agent-client', {
      commonName: `${brand}-apiserver-agent-client`,
      organizations: ['system:masters'],
      usages: ['client'],
    }),
    authorityFiles: { certFile: `${ca}.crt`, keyFile: `${ca}.key` },
    server: await issued('apiserver', {
      commonName: `${brand}-apiserver`,
      usages: ['server'],
      hosts: hostsOf(brand, serviceAddress),
    }),
    admin: await issued('admin', {
      commonName: `${brand}-admin`,
      organizations: ['system:masters'],
      usages: ['client'],
    }),
    frontProxy: {
      ...(await issued(
        'front-proxy-client',
        { commonName: frontProxyName, usages: ['client'] },
        proxies,
      )),
      authority: proxies.cert,
    },
    tokenKey: await keptKey(join(folder, 'service-accounts.key')),
  }
}

/** The key in a file, or one that is made and written there: tokens are good for longer than the server runs. */
async function keptKey(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => '')
  if (parseSigningKey(kept).problems.length === 0) return kept
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const made = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await writePrivateFile(file, made)
  return made
}

/** The pair in two files, or one that is made and written there. */
async function kept(
  path: string,
  isUsable: (pair: CertificatePair) => boolean,
  make: () => Promise<CertificatePair>,
): Promise<CertificatePair> {
  const read = (name: string) => readFile(name, 'utf8').catch(() => '')
  const [cert, key] = await Promise.all([read(`${path}.crt`), read(`${path}.key`)])
  if (isUsable({ cert, key })) return { cert, key }
  const made = await make()
  await writePrivateFile(`${path}.key`, made.key)
  await writePrivateFile(`${path}.crt`, made.cert)
  return made
}

/** True for a pair that its authority, or itself without one, has signed, and that does not end soon. */
function isGood(pair: CertificatePair, authority: string | undefined, now: number): boolean {
  const { certificates, problems } = readPair(pair)
  const [certificate] = certificates
  if (problems.length > 0 || certificate === undefined) return false
  const issuer = authority === undefined ? certificate : new X509Certificate(authority)
  return (
    Date.parse(certificate.validTo) - now > renewalMs &&
    Date.parse(certificate.validFrom) <= now &&
    certificate.checkIssued(issuer) &&
    certificate.verify(issuer.publicKey)
  )
}

function isFor({ cert }: CertificatePair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert)
  return hosts.every((host) =>
    isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host),
  )
}
