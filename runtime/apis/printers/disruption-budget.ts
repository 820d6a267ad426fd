/** What lists of PodDisruptionBudgets show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'

export function budgetMinimum(object: ApiObject): string {
  return String(valueAtPath(object, 'spec.minAvailable') ?? 'N/A')
}

export function budgetMaximum(object: ApiObject): string {
  return String(valueAtPath(object, 'spec.maxUnavailable') ?? 'N/A')
}
