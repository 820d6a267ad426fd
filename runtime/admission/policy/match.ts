/** Whether a policy or a binding is about a request, and in which version of the resource. */
import type {
  MatchResources,
  NamedRuleWithOperations,
} from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import { type LabelRequirement, requirementsOf } from '../../kernel/labels.ts'
import type { Tree } from '../../kernel/tree.ts'
import type { Subject } from '../attempt.ts'
import { matchesNamespace, matchesObject, matchesRule, versionsOf } from '../webhook/match.ts'
import type { World } from '../world.ts'

/** What requests are matched with. Without rules, every resource matches. */
export interface Constraints {
  readonly rules: readonly NamedRuleWithOperations[]
  readonly excluded: readonly NamedRuleWithOperations[]
  readonly equivalent: boolean
  readonly namespaces: readonly LabelRequirement[]
  readonly objects: readonly LabelRequirement[]
}

/** The constraints of a policy or a binding, with selectors read. */
export function constraintsOf(given: MatchResources): Constraints {
  return {
    rules: given.resourceRules ?? [],
    excluded: given.excludeResourceRules ?? [],
    equivalent: given.matchPolicy !== 'Exact',
    namespaces: requirementsOf(given.namespaceSelector ?? {}) ?? [],
    objects: requirementsOf(given.objectSelector ?? {}) ?? [],
  }
}

/** The version in which a request matches; undefined if it does not. Fails if its namespace is not there. */
export async function matchedVersion(
  world: World,
  constraints: Constraints,
  subject: Subject,
): Promise<AnyKind | undefined> {
  const { rules, excluded, equivalent } = constraints
  const { tree } = world
  if (byRules(tree, excluded, equivalent, subject) !== undefined) return undefined
  const version = rules.length === 0 ? subject.resource : byRules(tree, rules, equivalent, subject)
  if (version === undefined || !matchesObject(constraints, subject)) return undefined
  return (await matchesNamespace(world, constraints, subject)) ? version : undefined
}

function byRules(
  tree: Tree,
  rules: readonly NamedRuleWithOperations[],
  equivalent: boolean,
  subject: Subject,
): AnyKind | undefined {
  if (rules.length === 0) return undefined
  const { resource } = subject
  const named = rules.filter(({ resourceNames = [] }) => isNamed(resourceNames, subject))
  if (named.some((rule) => matchesRule(rule, subject, resource))) return resource
  if (!equivalent) return undefined
  const others = versionsOf(tree, resource).filter((one) => one !== resource)
  for (const rule of named) {
    const found = others.find((other) => matchesRule(rule, subject, other))
    if (found !== undefined) return found
  }
  return undefined
}

/** An object whose name is yet to be generated has none. */
function isNamed(names: readonly string[], { name = '' }: Subject): boolean {
  return names.length === 0 || names.includes(name)
}
