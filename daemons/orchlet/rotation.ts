/** Certificates of a running agent that are requested anew before they end. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OrchletConfiguration } from '../../generated/config/agent/v1beta1.ts'
import type { CertificatePair } from '../../runtime/certificates/certificates.ts'
import type { Client } from '../../runtime/client/client.ts'
import { systemClock, systemRandom } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import {
  clientRequest,
  keepCertificate,
  servingRequest,
} from '../../runtime/node-certificates/node-certificates.ts'
import type { Log } from '../../runtime/observe/observe.ts'
import { writePrivateFile } from '../private-file.ts'
import { clientPairFile, readPairFile, requestMs } from './bootstrap.ts'

/** Whose certificates are kept. */
export interface RotationOptions {
  readonly client: Client
  readonly configuration: OrchletConfiguration
  readonly certificateFolder: string
  readonly nodeName: string
  /** Names and addresses that the port of the node has. */
  readonly hosts: readonly string[]
  readonly own: Platform
  /** The names of the cluster. */
  readonly platform: Platform
  readonly log: Log
}

/** Keeps the certificates that the configuration asks for, until `signal` aborts: those that the bootstrap wrote, and that of the port. */
export async function rotateCertificates(
  options: RotationOptions,
  signal: AbortSignal,
): Promise<void> {
  const { configuration, certificateFolder: folder, own, platform, nodeName, hosts } = options
  const { client, log } = options
  const usual = { client, limitMs: requestMs, clock: systemClock, random: systemRandom, log }
  const clientFile = clientPairFile(folder, own)
  const current = () => readPairFile(clientFile, systemClock.now())
  const isOurs = configuration.rotateCertificates && (await current()) !== undefined
  const files = { cert: join(folder, `${own.agent}.crt`), key: join(folder, `${own.agent}.key`) }
  await Promise.all([
    isOurs &&
      keepCertificate(
        {
          ...{ ...usual, current, request: clientRequest(nodeName, platform) },
          keep: (pair) => writePrivateFile(clientFile, pair.cert + pair.key),
        },
        signal,
      ),
    configuration.serverTLSBootstrap &&
      !configuration.tlsCertFile &&
      keepCertificate(
        {
          ...{ ...usual, request: servingRequest(nodeName, hosts, platform) },
          current: () => servingPair(files, `system:node:${nodeName}`),
          async keep({ cert, key }) {
            await writePrivateFile(files.key, key)
            await writePrivateFile(files.cert, cert)
          },
        },
        signal,
      ),
  ])
}

/** The pair of the port, if it is one that the cluster has signed: one that was made here names no node. */
async function servingPair(
  files: CertificatePair,
  commonName: string,
): Promise<CertificatePair | undefined> {
  const read = (file: string) => readFile(file, 'utf8').catch(() => '')
  const [cert, key] = await Promise.all([read(files.cert), read(files.key)])
  try {
    const isSigned = new X509Certificate(cert).subject.split('\n').includes(`CN=${commonName}`)
    return isSigned ? { cert, key } : undefined
  } catch {
    return undefined
  }
}
