import type { SubjectAccessReviewSpec } from '../../../generated/apis/authorization/v1.ts'
import {
  adopt,
  apiLibraries,
  compile,
  createEnvironment,
  type Program,
  types,
} from '../../cel/cel.ts'

/** Whether a webhook is asked about a request. @throws an Error if a condition cannot be evaluated and none is false. */
export type AuthorizationCondition = (spec: SubjectAccessReviewSpec) => boolean

/** Conditions as one function of the review's spec, which they call `request`; the text of the first that is wrong. */
export function authorizationConditions(
  expressions: readonly string[],
): AuthorizationCondition | string {
  const environment = createEnvironment({
    libraries: apiLibraries,
    variables: [{ name: 'request', type: types.dynType, read: adopt }],
  })
  const programs: Program[] = []
  for (const [at, expression] of expressions.entries()) {
    const compiled = compile(expression, environment)
    const place = `matchConditions[${at}].expression`
    if (!compiled.ok) return `${place}: ${compiled.text}`
    const { program } = compiled
    if (program.type !== types.boolType && program.type !== types.dynType) {
      return `${place}: has to be true or false`
    }
    programs.push(program)
  }
  return (spec) => hold(programs, spec)
}

function hold(programs: readonly Program[], request: SubjectAccessReviewSpec): boolean {
  const failures: string[] = []
  for (const program of programs) {
    const outcome = program.evaluate({ request })
    if (outcome.is === 'value' && outcome.value === false) return false
    if (outcome.is === 'value' && outcome.value === true) continue
    const why = outcome.is === 'error' ? outcome.error.message : 'is not true or false in time'
    failures.push(`${program.source}: ${why}`)
  }
  if (failures.length > 0) throw new Error(failures.join('; '))
  return true
}
