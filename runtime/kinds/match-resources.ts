/** Which requests a policy is about. */

import type { LabelSelectorLike } from '../kernel/labels.ts'
import { pathSegmentProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { repeated } from '../kernel/repeated.ts'
import { duplicate, problems } from './findings.ts'
import { checkSelector } from './selectors.ts'
import type { List } from './shapes.ts'
import { checkMatchRule, type MatchRule } from './webhook-rules.ts'

export interface MatchResources {
  readonly resourceRules?: List<NamedRule>
  readonly excludeResourceRules?: List<NamedRule>
  readonly namespaceSelector?: LabelSelectorLike
  readonly objectSelector?: LabelSelectorLike
}

interface NamedRule extends MatchRule {
  readonly resourceNames?: List<string>
}

/** Selectors that can be matched, and rules as webhooks have them, with names that objects can have. */
export function checkMatchResources(path: string, given: MatchResources): readonly Finding[] {
  const rules = (name: string, list: List<NamedRule> | undefined) =>
    (list ?? []).flatMap((rule, index) => checkNamedRule(`${path}.${name}[${index}]`, rule))
  return [
    ...checkSelector(`${path}.namespaceSelector`, given.namespaceSelector ?? {}),
    ...checkSelector(`${path}.objectSelector`, given.objectSelector ?? {}),
    ...rules('resourceRules', given.resourceRules),
    ...rules('excludeResourceRules', given.excludeResourceRules),
  ]
}

function checkNamedRule(path: string, rule: NamedRule): readonly Finding[] {
  const names = rule.resourceNames ?? []
  const again = repeated(names)
  return [
    ...names.flatMap((name, index) => {
      const at = `${path}.resourceNames[${index}]`
      return [
        ...problems(at, name, pathSegmentProblems(name)),
        ...(again[index] ? [duplicate(at, name)] : []),
      ]
    }),
    ...checkMatchRule(path, rule),
  ]
}
