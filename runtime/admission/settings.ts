import type { PodSecurityConfiguration } from '../../generated/config/podsecurity/v1.ts'
import { noPolicy, type Policy, policyOf } from './security/levels.ts'

/** What plugins are told beside requests, by their names: those that can be told something. */
export interface PluginSettings {
  readonly PodSecurity?: PodSecurityConfiguration
}

/** What PodSecurity goes by where a namespace says nothing, and whom it lets pass. */
export interface PodSecurityRules {
  readonly defaults: Policy
  readonly namespaces: ReadonlySet<string>
  readonly usernames: ReadonlySet<string>
  readonly runtimeClasses: ReadonlySet<string>
}

/** Without settings nothing is enforced, and nobody is exempt. */
export function podSecurityRules(settings: PodSecurityConfiguration = {}): PodSecurityRules {
  const { namespaces, usernames, runtimeClasses } = settings.exemptions ?? {}
  return {
    defaults: settings.defaults === undefined ? noPolicy : defaultsOf(settings).policy,
    namespaces: new Set(namespaces),
    usernames: new Set(usernames),
    runtimeClasses: new Set(runtimeClasses),
  }
}

/** What the schema of the settings cannot say: path and text of each version that is none. */
export function podSecurityProblems(settings: PodSecurityConfiguration): readonly string[] {
  return defaultsOf(settings).findings.map(({ path, message }) => {
    const field = /\[(.*)\]$/.exec(path)?.[1]
    return `defaults.${field}: ${message}`
  })
}

function defaultsOf({ defaults }: PodSecurityConfiguration) {
  return policyOf('', { ...defaults })
}
