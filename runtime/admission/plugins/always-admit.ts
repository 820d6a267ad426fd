import type { PluginFactory } from '../chain/plugin.ts'

/** AlwaysAdmit admits every request, which is what happens without it too. */
export const alwaysAdmit: PluginFactory = () => ({ handles: () => false })
