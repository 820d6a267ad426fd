import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'

/** Allows everything, which is what happens without it too. */
export const alwaysAdmit: PluginFactory = () => ({ handles: () => false })

/** Refuses everything. */
export const alwaysDeny: PluginFactory = () => ({
  handles: () => true,
  validate(subject) {
    throw forbidden(subject, 'admission control is denying all modifications')
  },
})
