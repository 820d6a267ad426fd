import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { createAuthority, issueCertificate } from '../runtime/certificates/certificates.ts'
import { writePrivateFile } from './private-file.ts'

const [hour, year] = [3_600_000, 365 * 86_400_000]

/**
 * Makes the certificate of a server for its names, signed by an authority whose key is forgotten and whose certificate stands
 * behind it in the file, for clients to trust. Files that are there are left as they are.
 */
export async function ensureServingPair(
  { certFile, keyFile }: { readonly certFile: string; readonly keyFile: string },
  names: ServingNames,
  now: number,
): Promise<void> {
  if ((await isThere(certFile)) && (await isThere(keyFile))) return
  const pair = await makeServingPair(names, now)
  try {
    await writePrivateFile(keyFile, pair.key)
    await writePrivateFile(certFile, pair.cert)
  } catch (cause) {
    const why = (cause as Error).message
    throw new Error(
      `the certificate cannot be kept (${why}): name another folder with --cert-dir, or files with --tls-cert-file and --tls-private-key-file`,
      { cause },
    )
  }
}

/** The files of such a certificate, made if need be: `NAME.crt` and `NAME.key` in a folder. */
export async function servingPairIn(
  folder: string,
  name: string,
  names: ServingNames,
  now: number,
): Promise<{ readonly certFile: string; readonly keyFile: string }> {
  const pair = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) }
  await ensureServingPair(pair, names, now)
  return pair
}

/** What a certificate names. */
export interface ServingNames {
  readonly brand: string
  readonly commonName: string
  /** Names and addresses beside those of this machine. */
  readonly hosts: readonly string[]
}

/** The same certificate, kept in memory only. */
export async function makeServingPair(
  { brand, commonName, hosts }: ServingNames,
  now: number,
): Promise<{ readonly cert: string; readonly key: string }> {
  const lasts = { validFrom: now - hour, validUntil: now + year }
  const authority = await createAuthority({ commonName: `${brand} authority`, ...lasts })
  const own = ['localhost', '127.0.0.1', '::1']
  const named = hosts.filter((host) => !['', '0.0.0.0', '::'].includes(host))
  const pair = await issueCertificate(
    {
      commonName,
      usages: ['server'],
      hosts: [...new Set([...named, ...own])],
      ...lasts,
    },
    authority,
  )
  return { cert: pair.cert + authority.cert, key: pair.key }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
