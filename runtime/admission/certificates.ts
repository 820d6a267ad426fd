/** Who may decide about certificates, and what nobody may ask for (supplement Q-21). */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestStatus,
} from '../../generated/apis/certificates/v1.ts'
import { equal } from '../kernel/equal.ts'
import { type Caller, isResource, isWhole } from './attempt.ts'
import { organizationsOf } from './certificate-subject.ts'
import type { PluginFactory } from './plugin.ts'
import { forbidden, internal } from './refusal.ts'
import type { World } from './world.ts'

/** Whether a caller may do something with a signer: by its name, or with all signers of its domain. */
async function mayUse(world: World, caller: Caller, verb: string, signer: string) {
  const group = `certificates.${world.tree.platform.api}`
  const domain = `${signer.split('/')[0]}/*`
  for (const name of [signer, domain]) {
    if (await world.authorize(caller, { verb, group, resource: 'signers', name })) return true
  }
  return false
}

type Request = CertificateSigningRequest

/** Approving and denying needs the right to approve for the signer. */
export const certificateApproval: PluginFactory = (world) => ({
  handles: (place) =>
    isRequest(world, place) && place.subresource === 'approval' && place.operation === 'UPDATE',
  async validate(subject) {
    const signer = (subject.old as Request | undefined)?.spec?.signerName ?? ''
    if (await mayUse(world, subject.caller, 'approve', signer)) return
    throw forbidden(subject, `user not permitted to approve requests with signerName "${signer}"`)
  },
})

/** Issuing a certificate needs the right to sign for the signer. */
export const certificateSigning: PluginFactory = (world) => ({
  handles: (place) =>
    isRequest(world, place) && place.subresource === 'status' && place.operation === 'UPDATE',
  async validate(subject) {
    const [now, before] = [subject.object, subject.old] as readonly (Request | undefined)[]
    if (equal(answerOf(now?.status), answerOf(before?.status))) return
    const signer = before?.spec?.signerName ?? ''
    if (await mayUse(world, subject.caller, 'sign', signer)) return
    throw forbidden(subject, `user not permitted to sign requests with signerName "${signer}"`)
  },
})

function answerOf(status: CertificateSigningRequestStatus | undefined) {
  return { certificate: status?.certificate ?? '', conditions: status?.conditions ?? [] }
}

/** Nobody gets a client certificate that makes him one of the masters. */
export const certificateSubjectRestriction: PluginFactory = (world) => {
  const { domain, prefix } = world.tree.platform
  const clients = `${domain}/${prefix}-apiserver-client`
  return {
    handles: (place) => isRequest(world, place) && isWhole(place) && place.operation === 'CREATE',
    validate(subject) {
      const { signerName, request } = (subject.object as Request | undefined)?.spec ?? {}
      if (signerName !== clients) return
      const organizations = organizationsOf(Buffer.from(request ?? '', 'base64').toString('latin1'))
      if (organizations === undefined) throw internal('failed to parse CSR')
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
    isResource(place, `certificates.${world.tree.platform.api}`, 'clustertrustbundles') &&
    isWhole(place) &&
    (place.operation === 'CREATE' || place.operation === 'UPDATE'),
  async validate(subject) {
    const [now, before] = [subject.object, subject.old] as readonly (BundleLike | undefined)[]
    const signer = now?.spec?.signerName
    if (!signer || (before !== undefined && equal(now.spec, before.spec))) return
    if (await mayUse(world, subject.caller, 'attest', signer)) return
    throw forbidden(subject, `user not permitted to attest for signerName "${signer}"`)
  },
})

interface BundleLike {
  readonly spec?: { readonly signerName?: string }
}

function isRequest(world: World, place: Parameters<typeof isResource>[0]): boolean {
  const group = `certificates.${world.tree.platform.api}`
  return isResource(place, group, 'certificatesigningrequests')
}
