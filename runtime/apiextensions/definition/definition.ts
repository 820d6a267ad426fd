import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
} from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Condition } from '../../kernel/meta/status-conditions.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { type Schema, schemaOf } from '../schema/schema.ts'

/** A CustomResourceDefinition, of whatever platform. */
export interface Definition extends ApiObject {
  readonly spec: CustomResourceDefinitionSpec
  readonly status?: CustomResourceDefinitionStatus
}

/** The names of a definition. */
export type DefinitionNames = CustomResourceDefinitionNames

/** A version of a definition. */
export type DefinitionVersion = CustomResourceDefinitionVersion

/**
 * The schema of a version; undefined if it has none. Valid versions have one (C-05); undefined is
 * what their validation has to see.
 */
export function versionSchema(
  { schema }: DefinitionVersion,
  extension: string,
): Schema | undefined {
  const raw = schema?.openAPIV3Schema as JsonObject | undefined
  return raw && schemaOf(raw, extension)
}

/**
 * The condition of a type. Undefined is not False: a condition that no controller has set yet is
 * unknown.
 */
export function findCondition({ status }: Definition, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type) as Condition | undefined
}

/** True if the condition of a type has the status True. */
export function isConditionTrue(definition: Definition, type: string): boolean {
  return findCondition(definition, type)?.status === 'True'
}
