import type { PluginFactory } from './plugin.ts'
import { isPod, withContainers } from './pods.ts'

/** Images are pulled for each pod, so that only who may pull them runs them. */
export const alwaysPullImages: PluginFactory = () => ({
  handles: (place) =>
    isPod(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE'),
  mutate: ({ object }) =>
    object && withContainers(object, (one) => ({ ...one, imagePullPolicy: 'Always' })),
})
