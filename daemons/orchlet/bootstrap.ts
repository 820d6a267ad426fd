/** How a node that has no certificate yet gets one, and keeps it. */
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type CertificatePair, readPair } from '../../runtime/certificates/certificates.ts'
import { type ConnectionConfig, createClient, httpTransport } from '../../runtime/client/client.ts'
import { systemClock, systemRandom } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import {
  clientRequest,
  type KeepCertificateOptions,
  keepCertificate,
} from '../../runtime/node-certificates/node-certificates.ts'
import type { Log } from '../../runtime/observe/observe.ts'
import { connectionOf } from '../client-daemon/connection-flags.ts'
import { platformWhenReached, programName } from '../client-daemon/reach-server.ts'
import { writePrivateFile } from '../private-file.ts'

/** What a node starts with. */
export interface BootstrapOptions {
  /** Where the connection of the node is to be written. */
  readonly file: string
  /** The connection that may only request a certificate. */
  readonly bootstrapFile: string
  /** Empty for the name of the machine. */
  readonly nodeName: string
  readonly certificateFolder: string
  readonly own: Platform
  readonly log: Log
}

/** Milliseconds until a request that is not signed is made again. */
export const requestMs = 15 * 60_000

/** The file with the certificate of the node and its key. */
export function clientPairFile(folder: string, { agent }: Pick<Platform, 'agent'>): string {
  return join(folder, `${agent}-client-current.pem`)
}

/** Certificate and key of a file that has both; undefined if it has not, or they are of use no more. */
export async function readPairFile(
  file: string,
  now: number,
): Promise<CertificatePair | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const { certificates, problems } = readPair({ cert: text, key: text })
  const [certificate] = certificates
  if (problems.length > 0 || certificate === undefined) return undefined
  return Date.parse(certificate.validTo) > now ? { cert: text, key: text } : undefined
}

/**
 * Requests a certificate for the node and writes the connection that has it, unless the file is there and of use. Resolves when it is, or when `signal`
 * aborts; what keeps it from being so meanwhile is logged. @throws an Error if the connection for it cannot be read.
 */
export async function bootstrapNode(
  { file, bootstrapFile, nodeName, certificateFolder, own, log }: BootstrapOptions,
  signal: AbortSignal,
): Promise<void> {
  const pairFile = clientPairFile(certificateFolder, own)
  if (await isUsable(file, pairFile)) return
  const { value, problems } = await connectionOf(bootstrapFile, '')
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const client = createClient(httpTransport(value, systemClock), {
    ...{ platform: own, clock: systemClock, userAgent: `${programName('agent', own)}/bootstrap` },
    manager: programName('agent', own).replace(/\/.*/s, ''),
  })
  const done = new AbortController()
  const ended = AbortSignal.any([signal, done.signal])
  try {
    const platform = await platformWhenReached(client, own, signal)
    if (platform === undefined) return
    const options: KeepCertificateOptions = {
      ...{ client, limitMs: requestMs, clock: systemClock, random: systemRandom, log },
      request: clientRequest(nodeName || hostname().toLowerCase(), platform),
      current: () => readPairFile(pairFile, systemClock.now()),
      async keep(pair) {
        await writePrivateFile(pairFile, pair.cert + pair.key)
        await writePrivateFile(file, connectionText(value, pairFile))
        done.abort()
      },
    }
    if ((await options.current()) === undefined) await keepCertificate(options, ended)
    else await writePrivateFile(file, connectionText(value, pairFile))
  } finally {
    await client.close()
  }
}

/** True for a file with a connection, whose certificate is still good if it is one of ours. */
async function isUsable(file: string, pairFile: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text === '') return false
  return !text.includes(pairFile) || (await readPairFile(pairFile, systemClock.now())) !== undefined
}

/** A connection to the same server, as who has the certificate of the file. */
function connectionText(
  { server, ca, insecure, serverName, proxy }: ConnectionConfig,
  pairFile: string,
): string {
  const cluster = {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(insecure && { 'insecure-skip-tls-verify': true }),
    ...(serverName !== undefined && { 'tls-server-name': serverName }),
    ...(proxy !== undefined && { 'proxy-url': proxy }),
  }
  const text = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'default' },
    clusters: [{ name: 'default', cluster }],
    users: [{ name: 'default', user: { 'client-certificate': pairFile, 'client-key': pairFile } }],
    contexts: [{ name: 'default', context: { cluster: 'default', user: 'default' } }],
  }
  return `${JSON.stringify(text, null, 2)}\n`
}
