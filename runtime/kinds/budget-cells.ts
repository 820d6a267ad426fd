/** What lists of PodDisruptionBudgets show. */
import type { ApiObject } from '../kernel/object.ts'
import { valueAt } from '../kernel/paths.ts'

export function budgetMinimum(object: ApiObject): string {
  return String(valueAt(object, 'spec.minAvailable') ?? 'N/A')
}

export function budgetMaximum(object: ApiObject): string {
  return String(valueAt(object, 'spec.maxUnavailable') ?? 'N/A')
}
