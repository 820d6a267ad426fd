import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import { isAuthorizedForSigner, isSigningRequest, type SigningRequest } from './signers.ts'

/**
 * CertificateApproval lets only users approve or deny a request who may `approve` for its signer.
 * The signer is read from the old object: the request cannot name another one together with its
 * approval.
 */
export const certificateApproval: PluginFactory = (context) => ({
  handles: (request) =>
    request.operation === 'UPDATE' &&
    request.subresource === 'approval' &&
    isSigningRequest(context, request),
  async validate(attributes) {
    const signer = (attributes.oldObject as SigningRequest | undefined)?.spec?.signerName ?? ''
    if (await isAuthorizedForSigner(context, attributes.user, 'approve', signer)) return
    throw forbidden(
      attributes,
      `user not permitted to approve requests with signerName "${signer}"`,
    )
  },
})
