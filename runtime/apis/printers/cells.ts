/** The printed cells, by the names that schema files use. */

import type { Container } from '../../../generated/apis/core/v1/container.ts'
import { jsonPathCell } from '../../kernel/descriptors/json-path-cell.ts'
import type { CellFormat, Column } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { since } from '../../kernel/values/age.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import * as access from './access.ts'
import * as autoscaler from './autoscaler.ts'
import type { Cell, CellFunction } from './cell.ts'
import * as component from './component-status.ts'
import * as endpoint from './endpoints.ts'
import * as event from './event.ts'
import * as server from './extensions.ts'
import { formatLabels, formatSelector } from './format.ts'
import * as network from './networking.ts'
import * as node from './node.ts'
import * as pod from './pod.ts'
import * as quota from './resource-quota.ts'
import * as service from './service.ts'
import * as volume from './volume.ts'
import * as workload from './workload.ts'

const modules: readonly Readonly<Record<string, CellFunction>>[] = [
  { age: ({ metadata }, now) => since(metadata.creationTimestamp, now), dataCount },
  ...[access, autoscaler, component, endpoint, event, network, node, pod, quota],
  ...[server, service, volume, workload],
]

/** Every cell that a schema file may name. */
export const cells: ReadonlyMap<string, CellFunction> = new Map(modules.flatMap(Object.entries))

/**
 * The cell that a column names: a dotted path, `$` and a JSON path, or an entry of `cells`. Where a path leads nowhere, the
 * cell shows what the column says; without that, a string column is empty and any other one null. Fails if `cells` has no
 * such entry.
 */
export function cellOf(column: Column): CellFunction {
  if (column.cell.startsWith('$')) return jsonPathCell(column, since)
  if (column.cell.startsWith('.')) return pathCell(column)
  const cell = cells.get(column.cell)
  invariant(cell !== undefined, `column ${column.name} names the unknown cell ${column.cell}`)
  return cell
}

function pathCell({ cell, type, show, absent }: Column): CellFunction {
  const missing = absent ?? (type === 'string' ? '' : null)
  const path = cell.slice(1)
  const format = show === undefined ? print : formats[show]
  return (object, now) => {
    const value = valueAtPath(object, path)
    if (value === undefined || value === null || value === '') return missing
    return format(value as never, now)
  }
}

type Containers = readonly Loose<Container>[]

const formats: Readonly<Record<CellFormat, (value: never, now: number) => Cell>> = {
  age: since,
  containers: (value: Containers) => value.map(({ name }) => name ?? '').join(','),
  count: (value: object) => Object.keys(value).length,
  images: (value: Containers) => value.map(({ image }) => image ?? '').join(','),
  labels: formatLabels,
  list: (value: readonly string[]) => value.join(','),
  selector: formatSelector,
  text: String,
}

function print(value: unknown): Cell {
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell)
}

function dataCount(object: ApiObject): number {
  const sizeOf = (path: string) => Object.keys(valueAtPath(object, path) ?? {}).length
  return sizeOf('data') + sizeOf('binaryData')
}
