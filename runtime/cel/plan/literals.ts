/** Code of list and map literals. */
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

/** The code of `[a, ?b]`. An optional item that is empty is left out. */
export function listCode({ items, optional }: ListExpr, planner: Planner): Code {
  const codes = items.map(planner.code)
  return (frame) => {
    spendSteps(codes.length)
    frame.charge(listCost)
    const list: Value[] = []
    for (let index = 0; index < codes.length; index++) {
      const value = (codes[index] as Code)(frame)
      if (value instanceof CelError) return value
      if (optional[index] !== true) list.push(value)
      else if (!(value instanceof Optional)) return fail('no such overload')
      else if (value.value !== undefined) list.push(value.value)
    }
    return list
  }
}

/** A map entry takes longer than the cost of a map literal says. */
const stepsPerEntry = 6

/** The code of `{k: v}`. A repeated key, or a key of a type that cannot be one, is an error. */
export function mapCode({ entries }: MapExpr, planner: Planner): Code {
  const codes = entries.map(({ key, value, optional }) => ({
    key: planner.code(key),
    value: planner.code(value),
    optional,
  }))
  return (frame) => {
    spendSteps(stepsPerEntry * codes.length)
    frame.charge(mapCost)
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
    return new MapValue(table)
  }
}

/** Adds an entry to a map under construction; returns the error of a key that is repeated or cannot be one. */
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
