import { isWrite } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { isPodRequest, withContainers } from './pods/pod-spec.ts'

/** AlwaysPullImages sets the pull policy Always: a private image on a node is run only with the credentials to pull it. */
export const alwaysPullImages: PluginFactory = () => ({
  handles: (request) => isPodRequest(request) && isWrite(request),
  mutate: ({ object }) =>
    object && withContainers(object, (container) => ({ ...container, imagePullPolicy: 'Always' })),
})
