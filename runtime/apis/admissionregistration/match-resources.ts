/** Which requests a policy is about. */

import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import { pathSegmentProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { flagDuplicates } from '../../kernel/values/duplicates.ts'
import { duplicate, invalidAll } from '../types/field-errors.ts'
import { checkSelector } from '../types/label-selectors.ts'
import type { List } from '../types/shapes.ts'
import { checkMatchRule, type MatchRule } from './match-rules.ts'

export interface MatchResources {
  readonly resourceRules?: List<NamedRule>
  readonly excludeResourceRules?: List<NamedRule>
  readonly namespaceSelector?: LabelSelectorFields
  readonly objectSelector?: LabelSelectorFields
}

interface NamedRule extends MatchRule {
  readonly resourceNames?: List<string>
}

/** Selectors that can be matched, and rules as webhooks have them, with names that objects can have. */
export function checkMatchResources(path: string, given: MatchResources): readonly FieldError[] {
  const rules = (name: string, list: List<NamedRule> | undefined) =>
    (list ?? []).flatMap((rule, index) => checkNamedRule(`${path}.${name}[${index}]`, rule))
  return [
    ...checkSelector(`${path}.namespaceSelector`, given.namespaceSelector ?? {}),
    ...checkSelector(`${path}.objectSelector`, given.objectSelector ?? {}),
    ...rules('resourceRules', given.resourceRules),
    ...rules('excludeResourceRules', given.excludeResourceRules),
  ]
}

function checkNamedRule(path: string, rule: NamedRule): readonly FieldError[] {
  const names = rule.resourceNames ?? []
  const again = flagDuplicates(names)
  return [
    ...names.flatMap((name, index) => {
      const at = `${path}.resourceNames[${index}]`
      return [
        ...invalidAll(at, name, pathSegmentProblems(name)),
        ...(again[index] ? [duplicate(at, name)] : []),
      ]
    }),
    ...checkMatchRule(path, rule),
  ]
}
