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
  const roots = new Map(configRoots(pair.after.types).map((type) => [keyOf(type), type.id]))
  for (const type of configRoots(pair.before.types)) {
    const { group, version, name: kind, at } = type
    if (stageOf(version) === 'Alpha') continue
    const now = roots.get(keyOf(type))
    if (now !== undefined) walk(type.id, now, nameOf({ group, version, kind }))
    else checkRemoval({ group, version, kind, at }, pair, tell)
  }
}

function keyOf({ group, version, name }: StructType): string {
  return `${group}/${version} ${name}`
}

function configRoots(types: readonly NamedType[]): readonly StructType[] {
  return types.filter(
    (type): type is StructType =>
      type.is === 'struct' && type.root && type.external === undefined && isConfig(type.at.file),
  )
}
