import type { ResourceOperation } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'

/** The resources of policies and of their bindings. */
export type PolicyResource = 'validatingadmissionpolicies' | 'validatingadmissionpolicybindings'

const resources: readonly string[] = [
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
] satisfies readonly PolicyResource[]

/** The collection path of policies or bindings. */
export function policyPath({ scheme }: PluginContext, resource: PolicyResource): string {
  return `apis/admissionregistration.${scheme.platform.api}/v1beta1/${resource}`
}

/** True for requests to policies and bindings, which no policy applies to: one that denies everything could not be removed. */
export function isPolicyOrBinding(
  { resource }: ResourceOperation,
  { scheme }: PluginContext,
): boolean {
  const { group, plural } = resource
  return group === `admissionregistration.${scheme.platform.api}` && resources.includes(plural)
}
