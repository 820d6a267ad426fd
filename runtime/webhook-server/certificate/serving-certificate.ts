/** The certificate that a webhook shows: kept in a secret, or in files. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { customResourceDefinitions } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { type Secret, secrets } from '../../../generated/apis/core/v1/secret.ts'
import type { Client } from '../../client/client.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { createServingCertificate, renewalMs, type ServingCertificate } from './certificate.ts'
import type { WebhookNames } from './webhook-names.ts'

/** Files that something else makes and renews. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** Reads the files as they are now. */
export async function certificateInFiles({
  cert,
  key,
}: CertificateFiles): Promise<Pick<ServingCertificate, 'cert' | 'key'>> {
  const [shown, secret] = await Promise.all([readFile(cert, 'utf8'), readFile(key, 'utf8')])
  return { cert: shown, key: secret }
}

/** Where a certificate is kept, and for which names it is. */
export interface KeptCertificate {
  readonly client: Client
  readonly namespace: string
  readonly names: WebhookNames
}

/**
 * The certificate in the secret; makes one where there is none, where it is for other names or where it ends soon. Its bundle has the
 * authority before it, too: copies of the program that still show that are trusted.
 */
export async function keptCertificate(
  kept: KeptCertificate,
  now: number,
): Promise<ServingCertificate> {
  const { client, namespace, names } = kept
  const resource = client.resource(secrets).in(namespace)
  for (;;) {
    const secret = await resource.find(names.secret)
    const present = secret && readSecret(secret)
    if (present !== undefined && isGood(present, names.hosts, now)) return present
    const made = createServingCertificate(names.hosts, now)
    const ca = made.ca + (present === undefined ? '' : firstOf(present.ca))
    const data = encoded({ 'tls.crt': made.cert, 'tls.key': made.key, 'ca.crt': ca })
    try {
      if (secret === undefined) {
        await resource.create({ metadata: { name: names.secret }, type: 'kubernetes.io/tls', data })
      } else await resource.update({ ...secret, data: { ...secret.data, ...data } })
      return { ...made, ca }
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists') && !isStatus(error, 'Conflict')) throw error
    }
  }
}

function encoded(texts: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(texts).map(
    ([name, text]) => [name, Buffer.from(text).toString('base64')] as const,
  )
  return Object.fromEntries(entries)
}

function readSecret({ data = {} }: Stored<Secret>): ServingCertificate | undefined {
  const [cert, key, ca] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) =>
    Buffer.from(data[name] ?? '', 'base64').toString(),
  )
  return cert && key && ca ? { cert, key, ca } : undefined
}

/** The newest authority stands first. */
function firstOf(bundle: string): string {
  const end = '-----END CERTIFICATE-----\n'
  const at = bundle.indexOf(end)
  return at < 0 ? '' : bundle.slice(0, at + end.length)
}

/** Tells servers of it in definitions. One that is converted by something else is left alone. */
export async function trustDefinitions(
  client: Client,
  names: readonly string[],
  caBundle: string,
): Promise<void> {
  const definitions = client.resource(customResourceDefinitions)
  for (const name of names) {
    const { spec } = await definitions.get(name)
    const config = spec.conversion?.webhook?.clientConfig
    if (config === undefined || config.caBundle === caBundle) continue
    const webhook = { clientConfig: { caBundle } }
    await definitions.mergePatch(name, { spec: { conversion: { webhook } } })
  }
}

/** True if it holds for these names, and does not end soon. */
export function isGood(
  { cert }: Pick<ServingCertificate, 'cert'>,
  hosts: readonly string[],
  now: number,
): boolean {
  try {
    const { validTo, subjectAltName = '' } = new X509Certificate(cert)
    const ends = Date.parse(validTo)
    return ends - now > renewalMs && hosts.every((host) => subjectAltName.includes(`DNS:${host}`))
  } catch {
    return false
  }
}
