import { readFile } from 'node:fs/promises'
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from '../../../../generated/apis/certificates/v1.ts'
import type { CSRSigningControllerConfiguration } from '../../../../generated/config/manager/v1alpha1.ts'
import {
  type CertificateRequest,
  readRequest,
  type SigningFacts,
  signRequest,
} from '../../../certificates/certificates.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { parseDuration } from '../../../kernel/values/duration.ts'
import { again, done, type KeyController, watching } from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { hasCondition, requestText } from './conditions.ts'
import {
  clientUsageProblem,
  nodeClientProblem,
  nodeServerProblem,
  signerNames,
} from './node-requests.ts'

/**
 * Signs approved requests to the signers of the platform, with the authorities whose files the configuration names (T-17). Signers without an
 * authority are left to others.
 *
 *   reads    CertificateSigningRequest, and the files of the authorities whenever one is signed
 *   writes   CertificateSigningRequest: its status
 *   wakes    when a request changes
 *   settles  when every approved request to such a signer has a certificate, or has failed
 */
export async function signingController({
  name,
  platform,
  configuration,
}: BuildContext): Promise<readonly KeyController[]> {
  const signers = signersOf(configuration.CSRSigningController, platform)
  if (signers.size === 0) return []
  const longestMs = parseDuration(configuration.CSRSigningController.ClusterSigningDuration) ?? 0
  return [
    {
      name,
      watches: [watching(certificateSigningRequests, ({ metadata }) => [{ name: metadata.name }])],
      async reconcile({ name: key }, { client, cached, clock }) {
        const request = cached(certificateSigningRequests).get({ name: key })
        const signer = request && signers.get(request.spec.signerName)
        if (request === undefined || signer === undefined || !isDue(request)) return done
        const text = requestText(request)
        const parsed = await readRequest(text)
        if (typeof parsed === 'string') return again(0, `unable to parse csr "${key}": ${parsed}`)
        const { usages = [], expirationSeconds } = request.spec
        const now = clock.now()
        const problem = signer.problem(parsed, usages)
        const status =
          problem === undefined
            ? {
                ...request.status,
                certificate: Buffer.from(
                  await signRequest(
                    text,
                    { usages, ...decideValidity(expirationSeconds ?? undefined, longestMs, now) },
                    await authorityOf(signer),
                    now,
                  ),
                ).toString('base64'),
              }
            : withFailure(request, problem, now)
        try {
          const signed = { ...request, status } as Stored<CertificateSigningRequest>
          await client.resource(certificateSigningRequests).updateStatus(signed)
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          if (!isStatus(error, 'NotFound')) throw error
        }
        return done
      },
    },
  ]
}

/** A signer of the platform: its authority, and what it does not sign. */
interface Signer {
  readonly certFile: string
  readonly keyFile: string
  readonly problem: (request: CertificateRequest, usages: readonly string[]) => string | undefined
}

function signersOf(
  configuration: CSRSigningControllerConfiguration,
  platform: Platform,
): ReadonlyMap<string, Signer> {
  const names = signerNames(platform)
  const rows = [
    [names.nodeServers, configuration.OrchletServingSignerConfiguration, nodeServerProblem],
    [names.nodeClients, configuration.OrchletClientSignerConfiguration, nodeClientProblem],
    [
      names.clients,
      configuration.OrchAPIServerClientSignerConfiguration,
      (_: CertificateRequest, usages: readonly string[]) => clientUsageProblem(usages),
    ],
    [names.unknown, configuration.LegacyUnknownSignerConfiguration, () => undefined],
  ] as const
  const { ClusterSigningCertFile, ClusterSigningKeyFile } = configuration
  const signers = rows.map(([name, { CertFile, KeyFile }, problem]) => {
    const certFile = CertFile || ClusterSigningCertFile
    const keyFile = KeyFile || ClusterSigningKeyFile
    return [name, { certFile, keyFile, problem }] as const
  })
  return new Map(signers.filter(([, { certFile, keyFile }]) => certFile !== '' && keyFile !== ''))
}

/** Read anew each time: files of authorities change, and requests are few. */
async function authorityOf({ certFile, keyFile }: Signer) {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
  return { cert, key }
}

function isDue(request: Stored<CertificateSigningRequest>): boolean {
  if (request.status?.certificate) return false
  const isApproved = hasCondition(request, 'Approved') && !hasCondition(request, 'Denied')
  return isApproved && !hasCondition(request, 'Failed')
}

const minute = 60_000
/** Clocks of others may be late by this much. */
const backdatedMs = 5 * minute
/** A shorter certificate ends no earlier than was asked for. */
const shortMs = 480 * minute
const leastMs = 10 * minute

/** From when to when a certificate is good that was requested for so many seconds. */
export function decideValidity(
  seconds: number | undefined,
  longestMs: number,
  now: number,
): Pick<SigningFacts, 'validFrom' | 'validUntil'> {
  const wantedMs = seconds === undefined ? longestMs : Math.max(leastMs, seconds * 1000)
  const ms = seconds !== undefined && seconds * 1000 > longestMs ? longestMs : wantedMs
  return {
    validFrom: now - backdatedMs,
    validUntil: now + (ms < shortMs ? ms : ms - backdatedMs),
  }
}

function withFailure({ status }: CertificateSigningRequest, message: string, now: number) {
  const condition = {
    ...{ type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message },
    lastUpdateTime: timestamp(now),
  }
  return { ...status, conditions: [...(status?.conditions ?? []), condition] }
}
