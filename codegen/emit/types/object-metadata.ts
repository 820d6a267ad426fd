/**
 * The scope of a kind as its type shows it: objects of a kind without namespaces have `ClusterObjectMeta`, which is
 * ObjectMeta without the field `namespace`. `Stored<T>` of the kernel reads the scope from there.
 */
import type { Field, NamedType, StructType } from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import type { Model } from '../model/model.ts'

/** The id of the type that every kind has as its metadata. */
export const objectMetaId = 'meta/v1.ObjectMeta'

const clusterObjectMeta = 'ClusterObjectMeta'

/** The names of the types that are declared beside these, because other modules refer to them. */
export function derivedTypeNames(types: readonly NamedType[]): readonly string[] {
  return types.some(({ id }) => id === objectMetaId) ? [clusterObjectMeta] : []
}

/** The declaration of `ClusterObjectMeta` where ObjectMeta is among the types, nothing elsewhere. */
export function clusterMetadataStatements(types: readonly NamedType[]): readonly string[] {
  return types
    .filter(({ id }) => id === objectMetaId)
    .map(({ name }) =>
      [
        '/** Bookkeeping data of an object whose kind has no namespaces. */',
        `export interface ${clusterObjectMeta} extends ${name} {`,
        '  /** Always absent. */',
        '  readonly namespace?: never',
        '}',
      ].join('\n'),
    )
}

/** The type of a kind's `metadata` where the kind has no namespaces; undefined for every other field. */
export function clusterMetadataType(
  field: Field,
  struct: StructType,
  model: Model,
  imports: Imports,
): string | undefined {
  if (!isClusterMetadata(field, struct, model)) return undefined
  return imports.derivedType(model.type(objectMetaId), clusterObjectMeta)
}

/** True for the `metadata` of a kind without namespaces. */
export function isClusterMetadata(
  { name, type }: Field,
  struct: StructType,
  model: Model,
): boolean {
  if (name !== 'metadata' || type.is !== 'ref' || type.to !== objectMetaId) return false
  return model.kindOf(struct)?.scope === 'Cluster'
}
