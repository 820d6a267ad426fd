/** Who may decide about certificates, and what nobody may ask for (supplement Q-21). */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestStatus,
} from '../../../../generated/apis/certificates/v1.ts'
import { isAllowed } from '../../../auth/auth.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { isMainResource, isResource, type UserInfo } from '../../chain/attributes.ts'
import { forbidden, internalError } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import type { PluginContext } from '../../chain/plugin-context.ts'
import { organizationsInRequest } from './subject.ts'

/** Whether a caller may do something with a signer: by its name, or with all signers of its domain. */
async function isAuthorizedForSigner(
  world: PluginContext,
  caller: UserInfo,
  verb: string,
  signer: string,
) {
  const group = `certificates.${world.scheme.platform.api}`
  const domain = `${signer.split('/')[0]}/*`
  for (const name of [signer, domain]) {
    const attributes = { user: caller, verb, group, resource: 'signers', name }
    if (await isAllowed(world.authorizer, attributes)) return true
  }
  return false
}

type SigningRequest = CertificateSigningRequest

/** Approving and denying needs the right to approve for the signer. */
export const certificateApproval: PluginFactory = (world) => ({
  handles: (place) =>
    isSigningRequest(world, place) &&
    place.subresource === 'approval' &&
    place.operation === 'UPDATE',
  async validate(subject) {
    const signer = (subject.old as SigningRequest | undefined)?.spec?.signerName ?? ''
    if (await isAuthorizedForSigner(world, subject.caller, 'approve', signer)) return
    throw forbidden(subject, `user not permitted to approve requests with signerName "${signer}"`)
  },
})

/** Issuing a certificate needs the right to sign for the signer. */
export const certificateSigning: PluginFactory = (world) => ({
  handles: (place) =>
    isSigningRequest(world, place) &&
    place.subresource === 'status' &&
    place.operation === 'UPDATE',
  async validate(subject) {
    const [now, before] = [subject.object, subject.old] as readonly (SigningRequest | undefined)[]
    if (deepEqual(issuedPartOf(now?.status), issuedPartOf(before?.status))) return
    const signer = before?.spec?.signerName ?? ''
    if (await isAuthorizedForSigner(world, subject.caller, 'sign', signer)) return
    throw forbidden(subject, `user not permitted to sign requests with signerName "${signer}"`)
  },
})

function issuedPartOf(status: CertificateSigningRequestStatus | undefined) {
  return { certificate: status?.certificate ?? '', conditions: status?.conditions ?? [] }
}

/** Nobody gets a client certificate that makes him one of the masters. */
export const certificateSubjectRestriction: PluginFactory = (world) => {
  const { domain, prefix } = world.scheme.platform
  const clients = `${domain}/${prefix}-apiserver-client`
  return {
    handles: (place) =>
      isSigningRequest(world, place) && isMainResource(place) && place.operation === 'CREATE',
    validate(subject) {
      const { signerName, request } = (subject.object as SigningRequest | undefined)?.spec ?? {}
      if (signerName !== clients) return
      const organizations = organizationsInRequest(
        Buffer.from(request ?? '', 'base64').toString('latin1'),
      )
      if (organizations === undefined) throw internalError('failed to parse CSR')
      if (!organizations.includes('system:masters')) return
      throw forbidden(
        subject,
        `use of ${signerName} signer with system:masters group is not allowed`,
      )
    },
  }
}

/** Putting out trust bundles of a signer needs the right to attest for it. */
export const clusterTrustBundleAttest: PluginFactory = (world) => ({
  handles: (place) =>
    isResource(place, `certificates.${world.scheme.platform.api}`, 'clustertrustbundles') &&
    isMainResource(place) &&
    (place.operation === 'CREATE' || place.operation === 'UPDATE'),
  async validate(subject) {
    const [now, before] = [subject.object, subject.old] as readonly (BundleLike | undefined)[]
    const signer = now?.spec?.signerName
    if (!signer || (before !== undefined && deepEqual(now.spec, before.spec))) return
    if (await isAuthorizedForSigner(world, subject.caller, 'attest', signer)) return
    throw forbidden(subject, `user not permitted to attest for signerName "${signer}"`)
  },
})

interface BundleLike {
  readonly spec?: { readonly signerName?: string }
}

function isSigningRequest(world: PluginContext, place: Parameters<typeof isResource>[0]): boolean {
  const group = `certificates.${world.scheme.platform.api}`
  return isResource(place, group, 'certificatesigningrequests')
}
