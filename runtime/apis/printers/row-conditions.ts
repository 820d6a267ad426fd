import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
/** What a table says of a row as a whole. */
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

/** A fact about a row that tools show apart from its cells. */
export interface RowCondition {
  readonly type: 'Completed'
  readonly status: 'True'
  readonly reason: string
  readonly message: string
}

type RowConditions = (object: ApiObject) => readonly RowCondition[]

const byRule: ReadonlyMap<string, RowConditions> = new Map([['podLifecycle', finishedPod]])

/** The conditions of an object's row, by the strategies that its kind names; most kinds have none. */
export function rowConditionsOf({ strategies: rules }: Kind): RowConditions {
  const found = rules.flatMap((rule) => byRule.get(rule) ?? [])
  return (object) => found.flatMap((conditions) => conditions(object))
}

function finishedPod(object: ApiObject): readonly RowCondition[] {
  const { status } = object as LooseObject<Pod>
  const completed = { type: 'Completed', status: 'True' } as const
  switch (status?.phase) {
    case 'Succeeded':
      return [{ ...completed, reason: 'Succeeded', message: 'The pod has completed successfully.' }]
    case 'Failed':
      return [{ ...completed, reason: 'Failed', message: 'The pod failed.' }]
    default:
      return []
  }
}
