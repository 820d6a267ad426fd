/** The printed cells, by the names that schema files use. */
import { invariant } from '../kernel/invariant.ts'
import type { Column } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import { valueAt } from '../kernel/paths.ts'
import * as access from './access-cells.ts'
import { since } from './age.ts'
import * as autoscaler from './autoscaler-cells.ts'
import * as budget from './budget-cells.ts'
import { columnCell } from './column-cells.ts'
import * as component from './component-cells.ts'
import * as daemon from './daemon-cells.ts'
import * as endpoint from './endpoint-cells.ts'
import * as event from './event-cells.ts'
import * as job from './job-cells.ts'
import type { Cell, CellFunction } from './kinds.ts'
import * as network from './network-cells.ts'
import * as node from './node-cells.ts'
import * as pod from './pod-cells.ts'
import { priorityGlobalDefault } from './priority-class.ts'
import * as quota from './quota-cells.ts'
import * as server from './server-cells.ts'
import * as service from './service-cells.ts'
import {
  storedTemplateContainers,
  storedTemplateImages,
  storedTemplateLabels,
} from './stored-template.ts'
import * as volume from './volume-cells.ts'
import * as workload from './workload-cells.ts'

/** Every cell that a schema file may name. */
export const cells: ReadonlyMap<string, CellFunction> = new Map<string, CellFunction>(
  Object.entries({
    age: (object, now) => since(object.metadata.creationTimestamp, now),
    dataCount: (object) => size(object, 'data') + size(object, 'binaryData'),
    secretsCount: (object) => size(object, 'secrets'),
    ...access,
    ...network,
    ...server,
    ...pod,
    ...workload,
    ...service,
    ...node,
    ...event,
    ...autoscaler,
    ...budget,
    ...component,
    ...daemon,
    ...endpoint,
    ...job,
    ...quota,
    ...volume,
    priorityGlobalDefault,
    storedTemplateContainers,
    storedTemplateImages,
    storedTemplateLabels,
  } satisfies Record<string, CellFunction>),
)

/**
 * The cell that a column names: a dotted path, `$` and a JSON path, or an entry of `cells`. Where a path leads nowhere, a string column is
 * empty and any other one null. An unknown name is our own mistake and fails loudly.
 */
export function cellOf(column: Column): CellFunction {
  if (column.cell.startsWith('$')) return columnCell(column, since)
  if (column.cell.startsWith('.')) return pathCell(column.cell.slice(1), column.type)
  const cell = cells.get(column.cell)
  invariant(cell !== undefined, `column ${column.name} names the unknown cell ${column.cell}`)
  return cell
}

function pathCell(path: string, type: Column['type']): CellFunction {
  const missing = type === 'string' ? '' : null
  return (object) => printed(valueAt(object, path), missing)
}

function printed(value: unknown, missing: Cell): Cell {
  if (value === undefined || value === null) return missing
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell)
}

function size(object: ApiObject, field: string): number {
  const value = valueAt(object, field)
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}
