import type { PodSecurityConfiguration } from '../../../generated/config/podsecurity/v1.ts'

/** The settings of plugins from the admission configuration file, by the name of the plugin that takes them. */
export interface PluginSettings {
  readonly PodSecurity?: PodSecurityConfiguration
  readonly ServiceAccount?: ServiceAccountSettings
}

/** What ServiceAccount does beside naming the account of a pod. */
export interface ServiceAccountSettings {
  /** Pods get a volume with a token, as the server issues tokens that last. Default false. */
  readonly mountsTokens: boolean
}
