import type { PodSecurityConfiguration } from '../../../generated/config/podsecurity/v1.ts'

/** The settings of plugins from the admission configuration file, by the name of the plugin that takes them. */
export interface PluginSettings {
  readonly PodSecurity?: PodSecurityConfiguration
}
