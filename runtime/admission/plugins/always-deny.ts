import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'

/**
 * AlwaysDeny rejects every request. It stands last in the order, so that requests which another
 * plugin rejects keep that reason.
 */
export const alwaysDeny: PluginFactory = () => ({
  handles: () => true,
  validate(attributes) {
    throw forbidden(attributes, 'admission control is denying all modifications')
  },
})
