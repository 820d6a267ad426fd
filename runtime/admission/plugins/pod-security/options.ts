import type { PodSecurityConfiguration } from '../../../../generated/config/podsecurity/v1.ts'
import { type NamespacePolicy, namespacePolicyOf } from './namespace-policy.ts'

/** The parsed configuration of PodSecurity: the policy of namespaces without labels, and the exemptions. */
export interface PodSecurityOptions {
  /** The prefix of the labels of namespaces and of audit annotations: `pod-security.example.com/`. */
  readonly prefix: string
  readonly defaults: NamespacePolicy
  readonly namespaces: ReadonlySet<string>
  readonly usernames: ReadonlySet<string>
  readonly runtimeClasses: ReadonlySet<string>
}

/** Parses the configuration of PodSecurity. Without one the policy is privileged and there are no exemptions. */
export function podSecurityOptions(
  prefix: string,
  configuration: PodSecurityConfiguration = {},
): PodSecurityOptions {
  const { namespaces, usernames, runtimeClasses } = configuration.exemptions ?? {}
  return {
    prefix,
    defaults: namespacePolicyOf('', { ...configuration.defaults }).policy,
    namespaces: new Set(namespaces),
    usernames: new Set(usernames),
    runtimeClasses: new Set(runtimeClasses),
  }
}
