import type { CertificatePair } from '../certificates/certificates.ts'
import { readPair } from '../certificates/certificates.ts'
import { pause, type Random } from '../kernel/async/clock.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import type { Log } from '../observe/observe.ts'
import { renewalTime } from './renewal-time.ts'
import { type RequestOptions, requestCertificate } from './request-certificate.ts'

/** Which certificate is kept, and where. */
export interface KeepCertificateOptions extends RequestOptions {
  /** What is in use; undefined where there is none, or one that the cluster has not signed. */
  current(): Promise<CertificatePair | undefined>
  /** Puts another one in its place. */
  keep(pair: CertificatePair): Promise<void>
  readonly random: Random
  readonly log: Log
}

/** Milliseconds until a request is made again after the first failure, and at most. */
const [firstMs, mostMs] = [10_000, 320_000]

/** Requests the certificate where there is none, and again before it ends, until `signal` aborts. */
export async function keepCertificate(
  options: KeepCertificateOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, log, request } = options
  let waitMs = firstMs
  while (!signal.aborted) {
    const times = timesOf(await options.current())
    const dueMs = times === undefined ? 0 : renewalTime(times, random) - clock.now()
    if (dueMs > 0) {
      await pause(clock, dueMs, signal)
      if (signal.aborted) return
    }
    try {
      await options.keep(await requestCertificate(options, signal))
      log.info('a certificate was issued', { signer: request.signerName })
      waitMs = firstMs
    } catch (error) {
      if (signal.aborted) return
      const reason = errorText(error)
      log.warn('a certificate was not issued yet', { signer: request.signerName, reason })
      await pause(clock, waitMs, signal)
      waitMs = Math.min(waitMs * 2, mostMs)
    }
  }
}

/** Undefined for a pair that cannot be used. */
function timesOf(pair: CertificatePair | undefined) {
  if (pair === undefined) return undefined
  const { certificates, problems } = readPair(pair)
  const [certificate] = certificates
  if (certificate === undefined || problems.length > 0) return undefined
  return {
    validFrom: Date.parse(certificate.validFrom),
    validUntil: Date.parse(certificate.validTo),
  }
}
