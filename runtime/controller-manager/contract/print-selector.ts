import type { LabelSelector } from '../../../generated/apis/meta/v1/label-selector.ts'

/** A selector as clients of the reference read it in events. */
export function printSelector({ matchLabels = {}, matchExpressions }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) => {
    const list = `[${(values ?? []).join(' ')}]`
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:${list},},`
  })
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
  )
}
