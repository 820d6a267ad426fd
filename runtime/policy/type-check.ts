/** The type check of a policy: its expressions against the types of the resources that it matches. Warns, never denies. */
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
} from '../../generated/apis/admissionregistration/v1beta1/policy.ts'
import { compile, type Environment, readSchema, schemaType, type types } from '../cel/cel.ts'
import type { Steps } from '../kernel/async/slices.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import type { DeclaredType } from './declared-types.ts'
import { environmentFor } from './environment.ts'
import { compileVariables } from './variables.ts'

/** A kind that a policy matches, with the type of its objects. */
export interface CheckedType {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly type: DeclaredType
}

/** The expressions of a policy that are checked. */
export type CheckedSpec = Pick<ValidatingAdmissionPolicySpec, 'validations' | 'variables'>

/** The type of a policy's params; undefined if its param kind is not served. */
export interface ParamsType {
  readonly type: DeclaredType | undefined
}

export type { ExpressionWarning }

/** Cost in steps of compiling an expression for every matched type. */
const checkCost = 8_000

/** One warning for each expression with type errors, with the errors for every kind that has some. */
export function* expressionWarnings(
  { validations = [], variables = [] }: CheckedSpec,
  brand: string,
  kinds: readonly CheckedType[],
  params: ParamsType | undefined,
): Steps<readonly ExpressionWarning[]> {
  const environments = kinds.map(({ type, ...kind }) => {
    const objects = { object: type, ...(params?.type && { params: params.type }) }
    const environment = environmentFor({
      brand,
      params: params !== undefined,
      authorizer: true,
      objects,
    })
    return { ...kind, environment: compileVariables(variables, environment).within(environment) }
  })
  const warnings: ExpressionWarning[] = []
  for (const [index, { expression, messageExpression }] of validations.entries()) {
    const path = `spec.validations[${index}]`
    warnings.push(...warningsFor(environments, `${path}.expression`, expression))
    if (messageExpression) {
      warnings.push(...warningsFor(environments, `${path}.messageExpression`, messageExpression))
    }
    yield checkCost
  }
  return warnings
}

type CheckEnvironment = Omit<CheckedType, 'type'> & { readonly environment: Environment }

/** One warning for an expression, with a line for each kind that it has errors for. */
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

/** The type of a kind's objects in the OpenAPI document of its group version; undefined if the document has no such kind. */
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

/** A schema without a type, such as that of a quantity, becomes int-or-string: CEL could not read the field otherwise. */
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
