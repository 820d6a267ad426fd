import { isMainResource } from '../../chain/attributes.ts'
import { forbidden, internalError } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import { isSigningRequest, type SigningRequest } from './signers.ts'
import { organizationsInRequest } from './subject.ts'

/**
 * CertificateSubjectRestriction rejects requests for client certificates of the group
 * `system:masters`. Members of that group may do everything (Z-01), and a certificate cannot be
 * taken back. Only the signer of API clients is concerned; a request that cannot be parsed is an
 * internal error, as in release 1.29.
 */
export const certificateSubjectRestriction: PluginFactory = (context) => {
  const { domain, prefix } = context.scheme.platform
  const clientSigner = `${domain}/${prefix}-apiserver-client`
  return {
    handles: (request) =>
      request.operation === 'CREATE' &&
      isMainResource(request) &&
      isSigningRequest(context, request),
    validate(attributes) {
      const { signerName, request = '' } = (attributes.object as SigningRequest).spec ?? {}
      if (signerName !== clientSigner) return
      const pem = Buffer.from(request, 'base64').toString('latin1')
      const organizations = organizationsInRequest(pem)
      if (organizations === undefined) throw internalError('failed to parse CSR')
      if (!organizations.includes('system:masters')) return
      throw forbidden(
        attributes,
        `use of ${signerName} signer with system:masters group is not allowed`,
      )
    },
  }
}
