/** Whether a policy or a binding is about a request, and in which version of the resource. */
import type {
  MatchResources,
  NamedRuleWithOperations,
} from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { type LabelRequirement, labelRequirementsOf } from '../../kernel/meta/label-selector.ts'
import type { Attributes } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import {
  equivalentVersions,
  matchesNamespace,
  matchesObject,
  matchesRule,
} from '../webhook/match-rules.ts'

/** What requests are matched with. Without rules, every resource matches. */
export interface MatchConstraints {
  readonly rules: readonly NamedRuleWithOperations[]
  readonly excluded: readonly NamedRuleWithOperations[]
  readonly equivalent: boolean
  readonly namespaces: readonly LabelRequirement[]
  readonly objects: readonly LabelRequirement[]
}

/** The constraints of a policy or a binding, with selectors read. */
export function parseMatchConstraints(given: MatchResources): MatchConstraints {
  return {
    rules: given.resourceRules ?? [],
    excluded: given.excludeResourceRules ?? [],
    equivalent: given.matchPolicy !== 'Exact',
    namespaces: labelRequirementsOf(given.namespaceSelector ?? {}) ?? [],
    objects: labelRequirementsOf(given.objectSelector ?? {}) ?? [],
  }
}

/** The version in which a request matches; undefined if it does not. Fails if its namespace is not there. */
export async function matchingVersion(
  world: PluginContext,
  constraints: MatchConstraints,
  subject: Attributes,
): Promise<AnyKind | undefined> {
  const { rules, excluded, equivalent } = constraints
  const { scheme } = world
  if (versionMatchedByRules(scheme, excluded, equivalent, subject) !== undefined) return undefined
  const version =
    rules.length === 0
      ? subject.resource
      : versionMatchedByRules(scheme, rules, equivalent, subject)
  if (version === undefined || !matchesObject(constraints, subject)) return undefined
  return (await matchesNamespace(world, constraints, subject)) ? version : undefined
}

function versionMatchedByRules(
  scheme: Scheme,
  rules: readonly NamedRuleWithOperations[],
  equivalent: boolean,
  subject: Attributes,
): AnyKind | undefined {
  if (rules.length === 0) return undefined
  const { resource } = subject
  const named = rules.filter(({ resourceNames = [] }) => nameMatches(resourceNames, subject))
  if (named.some((rule) => matchesRule(rule, subject, resource))) return resource
  if (!equivalent) return undefined
  const others = equivalentVersions(scheme, resource).filter((one) => one !== resource)
  for (const rule of named) {
    const found = others.find((other) => matchesRule(rule, subject, other))
    if (found !== undefined) return found
  }
  return undefined
}

/** An object whose name is yet to be generated has none. */
function nameMatches(names: readonly string[], { name = '' }: Attributes): boolean {
  return names.length === 0 || names.includes(name)
}
