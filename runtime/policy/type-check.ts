/** Expressions of a policy against what is known of the types that it matches: for its author, never for a decision. */
import { compile, type Environment, readSchema, schemaType, type types } from '../cel/cel.ts'
import type { Steps } from '../kernel/async/slices.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import type { DeclaredType } from './declared-types.ts'
import { environmentFor } from './environment.ts'
import { compileVariables, type Variable } from './variables.ts'

/** A kind of objects that a policy matches. */
export interface CheckedType {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly type: DeclaredType
}

/** The expressions of a policy that are checked. */
export interface CheckedSpec {
  readonly validations?: readonly {
    readonly expression: string
    readonly messageExpression?: string
  }[]
  readonly variables?: readonly Variable[]
}

/** Parameters of a policy that has some; without a place, of an unknown type. */
export interface ParamsType {
  readonly type: DeclaredType | undefined
}

/** What does not fit of one expression, for each kind that it does not fit. */
export interface ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

/** Compiling an expression for every matched type. */
const workOfChecking = 8_000

/**
 * What the types say of the expressions: one warning for each expression that does not fit all of them. It stops after each
 * validation.
 */
export function* expressionWarnings(
  { validations = [], variables = [] }: CheckedSpec,
  brand: string,
  kinds: readonly CheckedType[],
  parameters: ParamsType | undefined,
): Steps<readonly ExpressionWarning[]> {
  const environments = kinds.map(({ type: place, ...kind }) => {
    const objects = { object: place, ...(parameters?.type && { params: parameters.type }) }
    const scope = environmentFor({
      brand,
      params: parameters !== undefined,
      authorizer: true,
      objects,
    })
    return { ...kind, environment: compileVariables(variables, scope).within(scope) }
  })
  const found: ExpressionWarning[] = []
  for (const [index, { expression, messageExpression }] of validations.entries()) {
    const path = `spec.validations[${index}]`
    found.push(...warningsFor(environments, `${path}.expression`, expression))
    if (messageExpression) {
      found.push(...warningsFor(environments, `${path}.messageExpression`, messageExpression))
    }
    yield workOfChecking
  }
  return found
}

type CheckEnvironment = Omit<CheckedType, 'type'> & { readonly environment: Environment }

function warningsFor(
  kinds: readonly CheckEnvironment[],
  fieldRef: string,
  expression: string,
): readonly ExpressionWarning[] {
  const texts = kinds.flatMap(({ group, version, kind, environment }) => {
    const compiled = compile(expression, environment)
    return compiled.ok ? [] : [`${group}/${version}, Kind=${kind}: ${compiled.text}\n`]
  })
  return texts.length === 0 ? [] : [{ fieldRef, warning: texts.join('\n') }]
}

/** The type of a kind's objects from the published document of its group version; undefined if it is not there. */
export function typeFromOpenApi(
  document: JsonObject,
  { group, version, kind }: Omit<CheckedType, 'type'>,
  prefixes: readonly string[],
): DeclaredType | undefined {
  const schemas = schemasOf(document)
  const found = Object.values(schemas).find((schema) =>
    prefixes.some((prefix) => {
      const names = isObject(schema) ? schema[`x-${prefix}-group-version-kind`] : undefined
      const list = Array.isArray(names) ? names.filter(isObject) : []
      return list.some((one) => one.group === group && one.version === version && one.kind === kind)
    }),
  )
  if (!isObject(found)) return undefined
  const resolve = (reference: string) => {
    const schema = schemas[reference.slice(reference.lastIndexOf('/') + 1)]
    return isObject(schema) ? intOrStringIfUntyped(schema, prefixes) : undefined
  }
  return declaredTypeOf(schemaType(readSchema(found, { prefixes, resolve }), 'object'))
}

/** What may be of several types, such as a quantity, may be anything: it is not what no expression can name. */
function intOrStringIfUntyped(schema: JsonObject, [prefix]: readonly string[]): JsonObject {
  return schema.type === undefined ? { ...schema, [`x-${prefix}-int-or-string`]: true } : schema
}

function declaredTypeOf(
  found: { type: types.Type; read: DeclaredType['read'] } | undefined,
): DeclaredType | undefined {
  return found && { type: found.type, read: found.read }
}

function schemasOf({ components }: JsonObject): JsonObject {
  return isObject(components) && isObject(components.schemas) ? components.schemas : {}
}
