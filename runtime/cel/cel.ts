/**
 * Expressions in the Common Expression Language: compiled once, evaluated often, within a budget.
 *
 * The module knows values and types, never objects of a kind. It promises:
 *
 *  1. An expression that compiles has the types that its environment declares; what is dynamic is checked when it runs.
 *  2. Evaluation ends within its budget, and compiling within a limit of its own. No operator absorbs a spent budget.
 *  3. Raw JSON is read in place, never changed, and never by a name that is not the object's own property.
 *  4. Costs depend on the expression and its input alone, not on the machine.
 *
 * A source goes through `syntax/` (text to tree), `check/` (types, references, errors) and `plan/` (closures) to a
 * `program/`. `types/` and `values/` are what all of them speak of; `standard/` holds the functions of the language,
 * `library/` those that API fields may use; `cost/` estimates the worst case and limits the steps. `schema/` and
 * `validation/` compile and run the rules of a schema. `test/conformance/cel.test.ts` runs the public test vectors.
 */
export {
  createEnvironment,
  type Environment,
  type EnvironmentOptions,
  type Variable,
  withVariables,
} from './check/environment.ts'
export type { FunctionDeclaration, Library, Overload } from './functions/functions.ts'
export { method, overload } from './functions/functions.ts'
export { apiLibraries } from './library/api-libraries.ts'
export { type AsyncCelAuthorizer, withAuthorizationChecks } from './library/async-authorizer.ts'
export {
  type AuthorizationCheck,
  authorizerType,
  authorizerValue,
  type CelAuthorizer,
  type Decision,
  type ResourceAttributes,
  resourceCheckType,
  resourceCheckValue,
} from './library/authorizer.ts'
export type { Bindings } from './plan/frame.ts'
export { compile } from './program/compile.ts'
export {
  type Budget,
  type Compilation,
  type Evaluation,
  evaluationLimit,
  type Issue,
  type Program,
} from './program/program.ts'
export { readSchema, schemaOf } from './schema/json-schema.ts'
export type { SchemaNode, SchemaOptions } from './schema/schema-node.ts'
export { type SchemaType, schemaType } from './schema/schema-types.ts'
export { type Conjunct, conjunctsOf } from './syntax/conjuncts.ts'
export { escapeName, unescapeName } from './syntax/escape.ts'
export { expressionsIn } from './syntax/expressions-in.ts'
export { firstFieldsRead } from './syntax/fields-read.ts'
export type { Bounds, Declared, Field, ObjectType, Type } from './types/types.ts'
export * as types from './types/types.ts'
export { costLimits, stepsOfCost } from './validation/cost-limits.ts'
export { formErrors } from './validation/rule-form.ts'
export type { RuleOptions, RuleProblem } from './validation/rule-node.ts'
export type { RuleViolation } from './validation/rule-run.ts'
export { compileRules, compileRulesInSteps, type SchemaRules } from './validation/schema-rules.ts'
export {
  isList,
  isMap,
  itemAt,
  itemsOf,
  keysOf,
  lengthOf,
  lookup,
  mapOf,
  sizeOfMap,
} from './values/collections.ts'
export { equals } from './values/equality.ts'
export { type SearchResult, searchWithin } from './values/regex.ts'
export {
  adopt,
  CelError,
  Double,
  Duration,
  fail,
  ListView,
  MapValue,
  MapView,
  ObjectView,
  Opaque,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values/values.ts'
