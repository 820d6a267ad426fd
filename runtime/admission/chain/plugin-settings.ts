import type { PodSecurityConfiguration } from '../../../generated/config/podsecurity/v1.ts'

/** The settings of plugins from the admission configuration file, by the name of the plugin that takes them. */
export interface PluginSettings {
  readonly PodSecurity?: PodSecurityConfiguration
  readonly ServiceAccount?: ServiceAccountSettings
  readonly StorageObjectInUseProtection?: StorageProtectionSettings
}

/** What ServiceAccount does beside naming the account of a pod. */
export interface ServiceAccountSettings {
  /** Pods get a volume with a token, as the server issues tokens that last. Default false. */
  readonly mountsTokens: boolean
}

/** Which claims and volumes StorageObjectInUseProtection protects. */
export interface StorageProtectionSettings {
  /** All of them: there is a controller that ends it. Default: those that come while a controller manager holds its lease. */
  readonly always: boolean
}
