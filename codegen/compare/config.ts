/** Rules 1 and 4a about configuration files: their structures are promises as API types are. */
import { isConfig } from '../schema/files/layout.ts'
import type { NamedType, StructType } from '../schema/named-type.ts'
import type { Comparison } from './breaking-change.ts'
import { checkRemoval } from './kinds.ts'
import { resourceName } from './resources.ts'
import { stageOf } from './stability.ts'
import { typeComparer } from './types.ts'

/**
 * Compares the structures of configuration files, which no path serves, by their group, version
 * and name.
 * A structure of an alpha version promises nothing; any other that is gone is judged as a
 * resource would be.
 */
export const compareConfig: Comparison = (pair, report) => {
  const walk = typeComparer(pair, report)
  const roots = new Map(configRoots(pair.after.types).map((type) => [configKey(type), type.id]))
  for (const type of configRoots(pair.before.types)) {
    const { group, version, name: kind, at } = type
    if (stageOf(version) === 'Alpha') continue
    const now = roots.get(configKey(type))
    if (now !== undefined) walk(type.id, now, resourceName({ group, version, kind }))
    else checkRemoval({ group, version, kind, at }, pair, report)
  }
}

/** The name by which a structure of one tree is found in the other. */
function configKey({ group, version, name }: StructType): string {
  return `${group}/${version} ${name}`
}

/** The roots of configuration files that a tree declares itself. */
function configRoots(types: readonly NamedType[]): readonly StructType[] {
  return types.filter(
    (type): type is StructType =>
      type.is === 'struct' && type.root && type.external === undefined && isConfig(type.at.file),
  )
}
