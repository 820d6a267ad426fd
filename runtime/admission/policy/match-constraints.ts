import type {
  MatchResources,
  NamedRuleWithOperations,
} from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Attributes } from '../chain/attributes.ts'
import { parseSelectors, type RequestMatcher, type Selectors } from '../matching/request-matcher.ts'

/** The parsed match constraints of a policy, or match resources of a binding. Without rules every resource matches. */
export interface MatchConstraints extends Selectors {
  readonly rules: readonly NamedRuleWithOperations[]
  readonly excludeRules: readonly NamedRuleWithOperations[]
  /** True for the match policy Equivalent. */
  readonly equivalent: boolean
}

/** Parses match constraints. Validation has accepted them. */
export function parseMatchConstraints(resources: MatchResources): MatchConstraints {
  return {
    rules: resources.resourceRules ?? [],
    excludeRules: resources.excludeResourceRules ?? [],
    equivalent: resources.matchPolicy !== 'Exact',
    ...parseSelectors(resources),
  }
}

/**
 * The version of the resource in which a request matches the constraints; undefined if it does not match.
 *
 * @throws StatusError (NotFound) if the namespace of the request does not exist
 */
export async function matchingVersion(
  matcher: RequestMatcher,
  constraints: MatchConstraints,
  attributes: Attributes,
): Promise<AnyKind | undefined> {
  const { rules, excludeRules, equivalent } = constraints
  const matchedBy = (all: readonly NamedRuleWithOperations[]) =>
    matcher.versionMatchedBy(rulesForName(all, attributes), equivalent, attributes)
  if (matchedBy(excludeRules) !== undefined) return undefined
  const version = rules.length === 0 ? attributes.resource : matchedBy(rules)
  if (version === undefined) return undefined
  return (await matcher.selectorsMatch(constraints, attributes)) ? version : undefined
}

/** The rules whose resource names include that of the object: none of those with names while it is not generated yet. */
function rulesForName(
  rules: readonly NamedRuleWithOperations[],
  { name = '' }: Attributes,
): readonly NamedRuleWithOperations[] {
  return rules.filter(
    ({ resourceNames = [] }) => resourceNames.length === 0 || resourceNames.includes(name),
  )
}
