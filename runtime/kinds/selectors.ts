/** What is wrong with label selectors and sets of labels. */

import type { LabelSelectorLike } from '../kernel/labels.ts'
import { labelValueProblems, qualifiedNameProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { forbidden, problems, required } from './findings.ts'
import type { Strings } from './shapes.ts'

/** True for a selector without requirements, which would select everything. */
export function isEmptySelector(selector: LabelSelectorLike): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector
  return Object.keys(matchLabels).length === 0 && (matchExpressions?.length ?? 0) === 0
}

/** Findings for keys, values and the number of values; the schema has checked the operators. */
export function checkSelector(path: string, selector: LabelSelectorLike): readonly Finding[] {
  const expressions = (selector.matchExpressions ?? []).flatMap((expression, index) =>
    checkExpression(`${path}.matchExpressions[${index}]`, expression),
  )
  return [...checkLabels(`${path}.matchLabels`, selector.matchLabels), ...expressions]
}

type Expression = NonNullable<NonNullable<LabelSelectorLike['matchExpressions']>[number]>

function checkExpression(path: string, { key, operator, values }: Expression): readonly Finding[] {
  return [
    ...checkCount(`${path}.values`, operator, values?.length ?? 0),
    ...problems(`${path}.key`, key, key ? qualifiedNameProblems(key) : []),
    ...(values ?? []).flatMap((value, index) =>
      problems(`${path}.values[${index}]`, value, labelValueProblems(value)),
    ),
  ]
}

function checkCount(path: string, operator: string, count: number): readonly Finding[] {
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    return [required(path, "must be specified when `operator` is 'In' or 'NotIn'")]
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
    return [forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
  }
  return []
}

/** Findings for the keys and values of labels. */
export function checkLabels(path: string, labels: Strings | undefined): readonly Finding[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...problems(path, key, qualifiedNameProblems(key)),
    ...problems(path, value, labelValueProblems(value)),
  ])
}
