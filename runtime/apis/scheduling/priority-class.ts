/** The rules of PriorityClass. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { forbidden } from '../types/field-errors.ts'

interface PriorityClass extends ApiObject {
  readonly value?: number
  readonly globalDefault?: boolean
}

/** The classes that the platform keeps for its own pods (supplement O-06). */
const reserved: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
])
const mostOfUsers = 1_000_000_000

/**
 * Users' priorities stay below those of the platform, and stay what they are (supplement I-20). The latter is no expression
 * of the schema: every server makes two classes at its start and would load the engine for them.
 */
export const priorityClass: Strategy = {
  validate: (object, old) => [
    ...checkName(object as PriorityClass),
    ...checkChange(object as PriorityClass, old as PriorityClass | undefined),
  ],
}

function checkChange({ value = 0 }: PriorityClass, old?: PriorityClass): readonly FieldError[] {
  if (old === undefined || value === (old.value ?? 0)) return []
  return [forbidden('value', 'may not be changed in an update.')]
}

function checkName({ metadata, value = 0, globalDefault }: PriorityClass): readonly FieldError[] {
  const { name = '' } = metadata
  if (!name.startsWith('system-')) {
    const why = `maximum allowed value of a user defined priority is ${mostOfUsers}`
    return value > mostOfUsers ? [forbidden('value', why)] : []
  }
  const wrong = reservedProblem(name, value, globalDefault === true)
  if (wrong === undefined) return []
  const why = "priority class names with 'system-' prefix are reserved for system use only. error: "
  return [forbidden('metadata.name', why + wrong)]
}

function reservedProblem(name: string, value: number, byDefault: boolean): string | undefined {
  const known = reserved.get(name)
  if (known === undefined) return `${name} is not a known system priority class`
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`
  return byDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}
