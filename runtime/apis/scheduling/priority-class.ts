import type { PriorityClass } from '../../../generated/apis/scheduling/v1.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** The classes that the platform keeps for its own pods (supplement O-06). */
const reserved: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
])

/** True for the name of a class that the platform keeps for its own pods: it is not deleted. */
export function isSystemPriorityClass(name: string): boolean {
  return reserved.has(name)
}

/**
 * One thousand million. What lies between this and the two classes of the platform belongs to no
 * class.
 */
const mostOfUsers = 1_000_000_000

/**
 * Users' priorities stay below those of the platform, and stay what they are (supplement I-20). The latter is no expression
 * of the schema: every server makes two classes at its start and would load the engine for them.
 */
export const priorityClass: Strategy<PriorityClass> = {
  check(object) {
    const { metadata, value = 0, globalDefault } = object.value
    const name = metadata?.name ?? ''
    if (!name.startsWith('system-')) {
      const why = `maximum allowed value of a user defined priority is ${mostOfUsers}`
      if (value > mostOfUsers) object.forbidden('value', why)
    } else {
      // The error stands at the name, also where value or globalDefault is to blame: a class of
      // this name could be made only with the values of the platform.
      const problem = reservedProblem(name, value, globalDefault === true)
      const why =
        "priority class names with 'system-' prefix are reserved for system use only. error: "
      if (problem !== undefined) object.forbidden('metadata.name', why + problem)
    }
    if (object.old !== undefined && value !== (object.old.value ?? 0)) {
      object.forbidden('value', 'may not be changed in an update.')
    }
  },
}

/**
 * The first problem of a class with the prefix `system-`: an unknown name, another value than the
 * one of the table, or to be the default of all pods.
 */
function reservedProblem(name: string, value: number, byDefault: boolean): string | undefined {
  const known = reserved.get(name)
  if (known === undefined) return `${name} is not a known system priority class`
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`
  return byDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}
