import { X509Certificate } from 'node:crypto'
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from '../../../../generated/apis/certificates/v1.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { again, done, type KeyController, watching } from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'

const hour = 3_600_000

/** Milliseconds that a request stays after it was issued, denied or failed, and while it is undecided. */
const decidedMs = hour
const pendingMs = 24 * hour

/**
 * Deletes requests that are of no use any more: issued, denied or failed an hour ago, undecided for a day, or with a certificate that has
 * expired (T-17).
 *
 *   reads    CertificateSigningRequest
 *   writes   CertificateSigningRequest: delete
 *   wakes    when a request changes, and when its time has come
 *   settles  when no request is older than it may be
 */
export async function cleaningController({
  name,
}: BuildContext): Promise<readonly KeyController[]> {
  return [
    {
      name,
      watches: [watching(certificateSigningRequests, ({ metadata }) => [{ name: metadata.name }])],
      async reconcile({ name: key }, { client, cached, clock }) {
        const request = cached(certificateSigningRequests).get({ name: key })
        const dueMs = request && decideCleaning(request, clock.now())
        if (request === undefined || dueMs === undefined) return done
        if (dueMs > 0) return again(dueMs)
        try {
          await client.resource(certificateSigningRequests).delete(request, { unchanged: true })
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          if (!isStatus(error, 'NotFound')) throw error
        }
        return done
      },
    },
  ]
}

/** Milliseconds until a request is to go, none left or less if it is due; undefined for one that stays. */
export function decideCleaning(
  { metadata, status }: Pick<Stored<CertificateSigningRequest>, 'metadata' | 'status'>,
  now: number,
): number | undefined {
  const { conditions = [], certificate } = status ?? {}
  const ends = (conditions ?? []).map(({ type, lastUpdateTime }) => {
    const isOver =
      type === 'Denied' || type === 'Failed' || (type === 'Approved' && Boolean(certificate))
    return isOver ? Date.parse(lastUpdateTime ?? '') + decidedMs : Number.NaN
  })
  if (conditions?.length === 0) ends.push(Date.parse(metadata.creationTimestamp) + pendingMs)
  if (certificate && conditions?.some(({ type }) => type === 'Approved')) {
    ends.push(endOf(certificate))
  }
  const known = ends.filter((at) => !Number.isNaN(at))
  return known.length === 0 ? undefined : Math.min(...known) - now
}

/** When the first certificate of a text ends; not a number where there is none. */
function endOf(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo)
  } catch {
    return Number.NaN
  }
}
