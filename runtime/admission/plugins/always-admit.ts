import type { PluginFactory } from '../chain/plugin.ts'

/**
 * AlwaysAdmit admits every request, which is what happens without it too. It is kept because flags
 * may name it.
 */
export const alwaysAdmit: PluginFactory = () => ({ handles: () => false })
