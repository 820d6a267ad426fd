/** What the plugins of certificate requests share (supplement Q-21). */
import type { CertificateSigningRequest } from '../../../../generated/apis/certificates/v1.ts'
import { isAllowed } from '../../../auth/auth.ts'
import { isResource, type ResourceOperation, type UserInfo } from '../../chain/attributes.ts'
import type { PluginContext } from '../../chain/plugin-context.ts'

/** A request as attributes carry it: the reader has checked types, not that every field exists. */
export type SigningRequest = CertificateSigningRequest

/** True for requests to certificate signing requests, subresources included. */
export function isSigningRequest(context: PluginContext, request: ResourceOperation): boolean {
  return isResource(request, certificatesGroup(context), 'certificatesigningrequests')
}

/** The API group of certificates. */
export function certificatesGroup({ scheme }: PluginContext): string {
  return `certificates.${scheme.platform.api}`
}

/** True if the user may use a signer: by its name, or by the right to all signers of its domain (`example.com/*`). */
export async function isAuthorizedForSigner(
  context: PluginContext,
  user: UserInfo,
  verb: 'approve' | 'sign' | 'attest',
  signer: string,
): Promise<boolean> {
  const group = certificatesGroup(context)
  const domain = `${signer.split('/')[0]}/*`
  for (const name of [signer, domain]) {
    const attributes = { user, verb, group, resource: 'signers', name }
    if (await isAllowed(context.authorizer, attributes)) return true
  }
  return false
}
