/** Expressions over the claims of a token, and over the user that they make. */
import {
  adopt,
  apiLibraries,
  compile,
  createEnvironment,
  type Environment,
  evaluationLimit,
  isList,
  itemsOf,
  ListView,
  MapView,
  ObjectView,
  type Program,
  types,
  type Value,
  withVariables,
} from '../../../cel/cel.ts'

/** What an expression may read. */
export type ExpressionSubject = 'claims' | 'user'

/** An expression that can be evaluated, or why it is none. */
export type CompiledClaimExpression =
  | { readonly evaluate: (subject: unknown) => Value; readonly problem?: undefined }
  | { readonly problem: string; readonly evaluate?: undefined }

let base: Environment | undefined
const environments = new Map<ExpressionSubject, Environment>()

const { stringType, dynType, listType, mapType } = types
const texts = listType(stringType)

const userType = types.objectType('kubernetes.UserInfo', () => [
  { name: 'username', property: 'username', type: stringType, read: adopt },
  { name: 'uid', property: 'uid', type: stringType, read: adopt },
  { name: 'groups', property: 'groups', type: texts, read: readTexts },
  {
    name: 'extra',
    property: 'extra',
    type: mapType(stringType, texts),
    read: (json) => new MapView(json as Readonly<Record<string, unknown>>, readTexts),
  },
])

function readTexts(json: unknown): ListView {
  return new ListView(json as readonly unknown[], adopt)
}

function environmentOf(subject: ExpressionSubject): Environment {
  const known = environments.get(subject)
  if (known !== undefined) return known
  base ??= createEnvironment({ libraries: apiLibraries, libraryCosts: false })
  const variable =
    subject === 'claims'
      ? {
          type: mapType(stringType, dynType),
          read: (json: unknown) => new MapView(json as Readonly<Record<string, unknown>>, adopt),
        }
      : {
          type: userType,
          read: (json: unknown) =>
            new ObjectView(json as Readonly<Record<string, unknown>>, userType),
        }
  const made = withVariables(base, [{ name: subject, ...variable }])
  environments.set(subject, made)
  return made
}

/** Compiles an expression; with `bool`, it must say yes or no. */
export function compileClaimExpression(
  source: string,
  subject: ExpressionSubject,
  result?: 'bool',
): CompiledClaimExpression {
  const compiled = compile(source, environmentOf(subject))
  if (!compiled.ok) return { problem: `compilation failed: ${compiled.text}` }
  const { program } = compiled
  if (result !== undefined && program.type.kind !== result) {
    return { problem: `must evaluate to ${result}` }
  }
  return { evaluate: (value) => evaluated(program, subject, value) }
}

/** @throws an Error that says why there is no value; it names nothing of what a token holds. */
function evaluated(program: Program, subject: ExpressionSubject, value: unknown): Value {
  const outcome = program.evaluate({ [subject]: value }, undefined, evaluationLimit)
  if (outcome.is === 'value') return outcome.value
  const why = outcome.is === 'error' ? outcome.error.message : 'it costs too much'
  throw new Error(`expression '${program.source}' resulted in error: ${why}`)
}

/** The texts that a value is: a text, a list of texts, or null for none; empty ones are left out. @throws for another value. */
export function textsOfValue(value: Value): readonly string[] {
  if (value === null) return []
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (!isList(value)) throw new Error('expression must return a string or a list of strings')
  const items = itemsOf(value)
  if (!Array.isArray(items)) throw items
  return (items as readonly Value[]).flatMap((item) => {
    if (typeof item !== 'string') throw new Error('expression must return a list of strings')
    return item === '' ? [] : [item]
  })
}
