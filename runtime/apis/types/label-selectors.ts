/** What is wrong with label selectors and sets of labels. */

import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import { labelValueProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalidAll, required } from './field-errors.ts'
import type { Strings } from './shapes.ts'

/** True for a selector without requirements, which would select everything. */
export function isEmptySelector(selector: LabelSelectorFields): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector
  return Object.keys(matchLabels).length === 0 && (matchExpressions?.length ?? 0) === 0
}

/** Findings for keys, values and the number of values; the schema has checked the operators. */
export function checkSelector(path: string, selector: LabelSelectorFields): readonly FieldError[] {
  const expressions = (selector.matchExpressions ?? []).flatMap((expression, index) =>
    checkExpression(`${path}.matchExpressions[${index}]`, expression),
  )
  return [...checkLabels(`${path}.matchLabels`, selector.matchLabels), ...expressions]
}

type Expression = NonNullable<NonNullable<LabelSelectorFields['matchExpressions']>[number]>

function checkExpression(
  path: string,
  { key, operator, values }: Expression,
): readonly FieldError[] {
  return [
    ...checkCount(`${path}.values`, operator, values?.length ?? 0),
    ...invalidAll(`${path}.key`, key, key ? qualifiedNameProblems(key) : []),
    ...(values ?? []).flatMap((value, index) =>
      invalidAll(`${path}.values[${index}]`, value, labelValueProblems(value)),
    ),
  ]
}

function checkCount(path: string, operator: string, count: number): readonly FieldError[] {
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    return [required(path, "must be specified when `operator` is 'In' or 'NotIn'")]
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
    return [forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
  }
  return []
}

/** Findings for the keys and values of labels. */
export function checkLabels(path: string, labels: Strings | undefined): readonly FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...invalidAll(path, key, qualifiedNameProblems(key)),
    ...invalidAll(path, value, labelValueProblems(value)),
  ])
}
