/** From the text of an expression to a program: parse, check, plan. */
import { check } from '../check/checker.ts'
import { type Environment, environmentOf } from '../check/environment.ts'
import type { Checked } from '../check/references.ts'
import { estimate } from '../estimate/estimate.ts'
import type { Range } from '../functions/functions.ts'
import { evaluationStopped, maxCompileSteps, setStepsLeft } from '../limits/step-limit.ts'
import { type Plan, plan } from '../plan/planner.ts'
import { fieldsReadOf } from '../syntax/fields-read.ts'
import { parse } from '../syntax/parser.ts'
import { type CompileError, lineColumnOf, printCompileErrors } from '../syntax/source.ts'
import type { Type } from '../types/types.ts'
import { evaluatorOf } from './evaluate.ts'
import type { Compilation, Program } from './program.ts'

/**
 * Compiles an expression. Never throws for what the text contains; one whose types or patterns take more than 20
 * million steps is refused.
 */
export function compile(source: string, environment: Environment): Compilation {
  const outside = setStepsLeft(maxCompileSteps)
  try {
    return compileWithin(source, environment)
  } catch (error) {
    if (error !== evaluationStopped) throw error
    const message = 'compiling the expression takes too much work'
    return refused(source, [{ message, start: 0, end: source.length }], true)
  } finally {
    setStepsLeft(outside)
  }
}

function compileWithin(source: string, environment: Environment): Compilation {
  const parsed = parse(source, environment.macros)
  const names = environmentOf(environment, source)
  if (parsed.expr === undefined) return refused(source, [parsed.error], false)
  const checked = check(parsed.expr, names)
  if (checked.errors.length > 0) {
    return refused(source, checked.errors, true, checked.furtherErrors)
  }
  const planned = plan(checked, environment)
  const [wrong] = [...planned.refused].sort((a, b) => a.start - b.start)
  if (wrong === undefined)
    return { ok: true, program: programOf(source, checked, environment, planned) }
  const type = checked.types[parsed.expr.id] as Type
  return { ...refused(source, [wrong], true), text: wrong.message, type }
}

type Refusal = Extract<Compilation, { ok: false }>

/**
 * The issues in the order of their positions, and the text in which clients see them. `further`: how many more errors
 * there are without a text.
 */
function refused(
  source: string,
  errors: readonly CompileError[],
  parsed: boolean,
  further = 0,
): Refusal {
  const sorted = [...errors].sort((a, b) => a.start - b.start)
  const issues = sorted.map((error) => ({ ...error, ...lineColumnOf(source, error.start) }))
  return { ok: false, issues, text: printCompileErrors(source, sorted, further), parsed }
}

/**
 * The estimate is left until it is asked for: only rules of schemas and policies are limited by
 * it.
 */
function programOf(
  source: string,
  checked: Checked,
  environment: Environment,
  planned: Plan,
): Program {
  const { expr } = checked
  let worst: Range | undefined
  return {
    source,
    type: checked.types[expr.id] as Type,
    variables: new Set(planned.slots.map(({ name }) => name)),
    reads: (variable) => fieldsReadOf(expr, variable),
    get estimate() {
      worst ??= estimate(checked, environment)
      return worst
    },
    evaluate: evaluatorOf(planned),
  }
}
