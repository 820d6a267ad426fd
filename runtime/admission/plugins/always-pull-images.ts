import type { PluginFactory } from '../chain/plugin.ts'
import { isPodWrite, withContainers } from './pods/pod-spec.ts'

/** Images are pulled for each pod, so that only who may pull them runs them. */
export const alwaysPullImages: PluginFactory = () => ({
  handles: (place) =>
    isPodWrite(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE'),
  mutate: ({ object }) =>
    object && withContainers(object, (one) => ({ ...one, imagePullPolicy: 'Always' })),
})
