import type { PodSecurityConfiguration } from '../../../generated/config/podsecurity/v1.ts'
import { type NamespacePolicy, namespacePolicyOf } from './pod-security/levels.ts'

/** What plugins are told beside requests, by their names: those that can be told something. */
export interface PluginSettings {
  readonly PodSecurity?: PodSecurityConfiguration
}

/** What PodSecurity goes by where a namespace says nothing, and whom it lets pass. */
export interface PodSecurityOptions {
  readonly defaults: NamespacePolicy
  readonly namespaces: ReadonlySet<string>
  readonly usernames: ReadonlySet<string>
  readonly runtimeClasses: ReadonlySet<string>
}

/** Without settings nothing is enforced, and nobody is exempt. */
export function podSecurityOptions(settings: PodSecurityConfiguration = {}): PodSecurityOptions {
  const { namespaces, usernames, runtimeClasses } = settings.exemptions ?? {}
  return {
    defaults: namespacePolicyOf('', { ...settings.defaults }).policy,
    namespaces: new Set(namespaces),
    usernames: new Set(usernames),
    runtimeClasses: new Set(runtimeClasses),
  }
}
