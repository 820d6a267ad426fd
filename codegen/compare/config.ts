import { isConfig } from '../schema/files/layout.ts'
import type { NamedType, StructType } from '../schema/ir.ts'
import type { Comparison } from './breaking-change.ts'
import { checkRemoval } from './kinds.ts'
import { resourceName } from './resources.ts'
import { stageOf } from './stability.ts'
import { typeComparer } from './types.ts'

/** Rules 1 and 4a about the structures of configuration files, which no path serves. */
export const compareConfig: Comparison = (pair, tell) => {
  const walk = typeComparer(pair, tell)
  const roots = new Map(configRoots(pair.after.types).map((type) => [configKey(type), type.id]))
  for (const type of configRoots(pair.before.types)) {
    const { group, version, name: kind, at } = type
    if (stageOf(version) === 'Alpha') continue
    const now = roots.get(configKey(type))
    if (now !== undefined) walk(type.id, now, resourceName({ group, version, kind }))
    else checkRemoval({ group, version, kind, at }, pair, tell)
  }
}

function configKey({ group, version, name }: StructType): string {
  return `${group}/${version} ${name}`
}

function configRoots(types: readonly NamedType[]): readonly StructType[] {
  return types.filter(
    (type): type is StructType =>
      type.is === 'struct' && type.root && type.external === undefined && isConfig(type.at.file),
  )
}
