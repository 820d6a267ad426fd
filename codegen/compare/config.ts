import type { NamedType, StructType } from '../schema/ir.ts'
import { isConfig } from '../schema/layout.ts'
import type { Comparison } from './breach.ts'
import { checkRemoval } from './kinds.ts'
import { nameOf } from './resources.ts'
import { stageOf } from './stability.ts'
import { walkTypes } from './types.ts'

/** Rules 1 and 4a about the structures of configuration files, which no path serves. */
export const compareConfig: Comparison = (pair, tell) => {
  const walk = walkTypes(pair, tell)
  const roots = new Set(configRoots(pair.after.types).map(({ id }) => id))
  for (const type of configRoots(pair.before.types)) {
    const { group, version, name: kind, id, at } = type
    if (stageOf(version) === 'Alpha') continue
    if (roots.has(id)) walk(id, id, nameOf({ group, version, kind }))
    else checkRemoval({ group, version, kind, at }, pair, tell)
  }
}

function configRoots(types: readonly NamedType[]): readonly StructType[] {
  return types.filter(
    (type): type is StructType =>
      type.is === 'struct' && type.root && type.external === undefined && isConfig(type.at.file),
  )
}
