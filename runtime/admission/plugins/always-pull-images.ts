import { isWrite } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { isPodRequest, withContainers } from './pods/pod-spec.ts'

/**
 * AlwaysPullImages sets the pull policy Always: a private image on a node is run only with the
 * credentials to pull it. Ephemeral containers, which come by a subresource, are left as they are.
 */
export const alwaysPullImages: PluginFactory = () => ({
  handles: (request) => isPodRequest(request) && isWrite(request),
  mutate: ({ object }) =>
    object && withContainers(object, (container) => ({ ...container, imagePullPolicy: 'Always' })),
})
