/** A definition as this room sees it: the part of CustomResourceDefinition that decides what is served. */

import type { Steps } from '../../kernel/async/slices.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Condition } from '../../kernel/meta/status-conditions.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { ClientConfig } from '../../webhook/webhook.ts'
import { parseSchema, type Schema } from '../schema/schema.ts'

export interface DefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[] | null
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[] | null
}

export interface ColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface ScaleDefinition {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: JsonObject }
  readonly subresources?: { readonly status?: object; readonly scale?: ScaleDefinition }
  readonly additionalPrinterColumns?: readonly ColumnDefinition[] | null
}

export interface ConversionWebhook {
  readonly clientConfig?: ClientConfig
  readonly conversionReviewVersions?: readonly string[] | null
}

export interface Definition extends ApiObject {
  readonly spec: {
    readonly group: string
    readonly names: DefinitionNames
    readonly scope: 'Cluster' | 'Namespaced'
    readonly versions: readonly DefinitionVersion[]
    readonly conversion?: { readonly strategy?: string; readonly webhook?: ConversionWebhook }
    readonly preserveUnknownFields?: boolean
  }
  readonly status?: {
    readonly conditions?: readonly Condition[] | null
    readonly acceptedNames?: DefinitionNames
    readonly storedVersions?: readonly string[] | null
  }
}

/** The schema of a version; undefined if it has none. */
export function* versionSchema(
  { schema }: DefinitionVersion,
  extension: string,
): Steps<Schema | undefined> {
  const raw = schema?.openAPIV3Schema
  return raw && (yield* parseSchema(raw, extension))
}

/** A condition of a definition. */
export function findCondition({ status }: Definition, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type)
}

/** True if a condition of that type is there and holds. */
export function isConditionTrue(definition: Definition, type: string): boolean {
  return findCondition(definition, type)?.status === 'True'
}
