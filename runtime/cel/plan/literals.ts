import { listCost, mapCost } from '../cost/macro-costs.ts'
import { spendSteps } from '../limits/step-limit.ts'
import type { ListExpr, MapExpr } from '../syntax/ast.ts'
import { mapKeyOf } from '../values/collections.ts'
import {
  CelError,
  Double,
  fail,
  type MapEntry,
  MapValue,
  Optional,
  type Value,
} from '../values/values.ts'
import type { Code } from './frame.ts'
import type { Planner } from './node-planner.ts'

/** `[a, ?b]`: an optional item that is none is left out. */
export function listCode({ items, optional }: ListExpr, planner: Planner): Code {
  const codes = items.map(planner.code)
  return (frame) => {
    spendSteps(codes.length)
    const list: Value[] = []
    for (let index = 0; index < codes.length; index++) {
      const value = (codes[index] as Code)(frame)
      if (value instanceof CelError) return value
      if (optional[index] !== true) list.push(value)
      else if (!(value instanceof Optional)) return fail('no such overload')
      else if (value.value !== undefined) list.push(value.value)
    }
    frame.charge(listCost)
    return list
  }
}

const stepsPerEntry = 6

/** `{k: v}`: a key that comes twice, or has a type that keys cannot have, is an error. */
export function mapCode({ entries }: MapExpr, planner: Planner): Code {
  const codes = entries.map(({ key, value, optional }) => ({
    key: planner.code(key),
    value: planner.code(value),
    optional,
  }))
  return (frame) => {
    spendSteps(stepsPerEntry * codes.length)
    const table = new Map<string | number | bigint | boolean, MapEntry>()
    for (const code of codes) {
      const key = code.key(frame)
      if (key instanceof CelError) return key
      const given = code.value(frame)
      if (given instanceof CelError) return given
      if (code.optional && !(given instanceof Optional)) return fail('no such overload')
      const value = code.optional && given instanceof Optional ? given.value : given
      if (value === undefined) continue
      const error = insert(table, { key, value })
      if (error !== undefined) return error
    }
    frame.charge(mapCost)
    return new MapValue(table)
  }
}

/** Puts an entry into a map that is being built. */
export function insert(
  table: Map<string | number | bigint | boolean, MapEntry>,
  entry: MapEntry,
): CelError | undefined {
  const form = mapKeyOf(entry.key)
  if (form === undefined || entry.key instanceof Double) return fail('unsupported key type')
  if (table.has(form)) return fail(`Failed with repeated key: ${String(form)}`)
  table.set(form, entry)
  return undefined
}
