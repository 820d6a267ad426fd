import type { ClusterTrustBundle } from '../../../../generated/apis/certificates/v1alpha1.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { isMainResource, isResource, isWrite } from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import { certificatesGroup, isAuthorizedForSigner } from './signers.ts'

/**
 * ClusterTrustBundleAttest lets only users publish trust bundles of a signer who may `attest` for
 * it. Bundles without a signer are free, and so are updates that leave the spec as it was.
 */
export const clusterTrustBundleAttest: PluginFactory = (context) => ({
  handles: (request) =>
    isResource(request, certificatesGroup(context), 'clustertrustbundles') &&
    isMainResource(request) &&
    isWrite(request),
  async validate(attributes) {
    const { object, oldObject } = attributes
    const [bundle, oldBundle] = [object, oldObject] as readonly (ClusterTrustBundle | undefined)[]
    const signer = bundle?.spec?.signerName
    if (!signer || (oldBundle !== undefined && deepEqual(bundle.spec, oldBundle.spec))) return
    if (await isAuthorizedForSigner(context, attributes.user, 'attest', signer)) return
    throw forbidden(attributes, `user not permitted to attest for signerName "${signer}"`)
  },
})
