import type { CertificateSigningRequestStatus } from '../../../../generated/apis/certificates/v1.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import { isAuthorizedForSigner, isSigningRequest, type SigningRequest } from './signers.ts'

/** CertificateSigning lets only users set certificate and conditions of a request who may `sign` for its signer. */
export const certificateSigning: PluginFactory = (context) => ({
  handles: (request) =>
    request.operation === 'UPDATE' &&
    request.subresource === 'status' &&
    isSigningRequest(context, request),
  async validate(attributes) {
    const { object, oldObject } = attributes
    const [request, oldRequest] = [object, oldObject] as readonly (SigningRequest | undefined)[]
    if (deepEqual(issuedPartOf(request?.status), issuedPartOf(oldRequest?.status))) return
    const signer = oldRequest?.spec?.signerName ?? ''
    if (await isAuthorizedForSigner(context, attributes.user, 'sign', signer)) return
    throw forbidden(attributes, `user not permitted to sign requests with signerName "${signer}"`)
  },
})

/** What issuing changes. The other fields of the status are free. */
function issuedPartOf(status: CertificateSigningRequestStatus | undefined) {
  return { certificate: status?.certificate ?? '', conditions: status?.conditions ?? [] }
}
