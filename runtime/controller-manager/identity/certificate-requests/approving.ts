import { subjectAccessReviews } from '../../../../generated/apis/authorization/v1.ts'
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from '../../../../generated/apis/certificates/v1.ts'
import { type CertificateRequest, readRequest } from '../../../certificates/certificates.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { again, done, type KeyController, watching } from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { hasCondition, requestText } from './conditions.ts'
import { nodeClientProblem, signerNames } from './node-requests.ts'

/**
 * Approves what nodes request to be known to the server by, if their user may request that (T-17).
 *
 *   reads    CertificateSigningRequest
 *   writes   CertificateSigningRequest: its approval; SubjectAccessReview: create
 *   wakes    when a request changes, and again later while its user may not request it
 *   settles  when every request of a node is approved whose user may make it
 */
export async function approvingController({
  name,
  platform,
}: BuildContext): Promise<readonly KeyController[]> {
  return [
    {
      name,
      writes: [subjectAccessReviews, certificateSigningRequests],
      watches: [watching(certificateSigningRequests, ({ metadata }) => [{ name: metadata.name }])],
      async reconcile({ name: key }, { client, cached }) {
        const request = cached(certificateSigningRequests).get({ name: key })
        if (request === undefined || isDecided(request)) return done
        const parsed = await readRequest(requestText(request))
        if (typeof parsed === 'string') return again(0, `unable to parse csr "${key}": ${parsed}`)
        const tried = decideApproval(request, parsed, platform)
        for (const { subresource, message } of tried) {
          const { spec } = request
          const { username, uid, groups, extra } = spec
          const review = await client.resource(subjectAccessReviews).create({
            metadata: {},
            spec: {
              ...{ user: username ?? '', groups: groups ?? [] },
              ...(uid && { uid }),
              ...(extra && { extra }),
              resourceAttributes: {
                group: `certificates.${platform.api}`,
                resource: 'certificatesigningrequests',
                ...{ verb: 'create', subresource, version: '*' },
              },
            },
          } as never)
          if (review.status?.allowed !== true) continue
          try {
            const requests = client.resource(certificateSigningRequests)
            await requests.update(approved(request, message), { subresource: 'approval' })
          } catch (error) {
            if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
            if (!isStatus(error, 'NotFound')) throw error
          }
          return done
        }
        return tried.length === 0 ? done : again(0, 'its user may not make such a request yet')
      },
    },
  ]
}

/** A right that would allow a request, and what is said of it then. */
export interface Approval {
  readonly subresource: 'selfnodeclient' | 'nodeclient'
  readonly message: string
}

/** The rights each of which is enough for a request to be approved; none for a request that is not a node's. */
export function decideApproval(
  { spec }: Pick<CertificateSigningRequest, 'spec'>,
  parsed: CertificateRequest,
  platform: Platform,
): readonly Approval[] {
  const isNode =
    spec.signerName === signerNames(platform).nodeClients &&
    nodeClientProblem(parsed, spec.usages ?? []) === undefined
  if (!isNode) return []
  const { agent } = platform
  const own: Approval = {
    subresource: 'selfnodeclient',
    message: `Auto approving self ${agent} client certificate after SubjectAccessReview.`,
  }
  const any: Approval = {
    subresource: 'nodeclient',
    message: `Auto approving ${agent} client certificate after SubjectAccessReview.`,
  }
  return spec.username === parsed.commonName ? [own, any] : [any]
}

function isDecided(request: Stored<CertificateSigningRequest>): boolean {
  if (request.status?.certificate) return true
  return hasCondition(request, 'Approved') || hasCondition(request, 'Denied')
}

function approved(
  request: Stored<CertificateSigningRequest>,
  message: string,
): Stored<CertificateSigningRequest> {
  const { conditions = [] } = request.status ?? {}
  const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message }
  return {
    ...request,
    status: { ...request.status, conditions: [...conditions, condition] },
  } as Stored<CertificateSigningRequest>
}
