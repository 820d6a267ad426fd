import { type CellFunction, cellOf, type RowCondition, rowConditionsOf } from '../../apis/apis.ts'
import type { Column, Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { Item } from '../../registry/registry.ts'
import { encodeJson, partialMetadataJson } from '../../serializer/serializer.ts'

/** How much of its object a row of a table carries. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** Columns of a kind that declares none. */
const defaultColumns: readonly Column[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'Name of the object.',
    cell: '.metadata.name',
  },
  {
    name: 'Created At',
    type: 'date',
    description: 'Time at which the object was created.',
    cell: '.metadata.creationTimestamp',
  },
]

/** Reads the parameter `includeObject`; default Metadata. @throws StatusError BadRequest for an unknown value. */
export function includeObjectOf(text: string | undefined): IncludeObject {
  if (text === undefined || text === '') return 'Metadata'
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text
  throw new StatusError(
    'BadRequest',
    `Unable to convert to Table as requested: includeObject: Invalid value: ${quoted(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

/** Everything about a table but its rows. */
export interface TableForm {
  readonly kind: Kind
  /** `meta.<api>/<version>` */
  readonly apiVersion: string
  readonly include: IncludeObject
  /** Milliseconds since the epoch: what ages are counted to. */
  readonly now: number
}

/**
 * A table of rows, as JSON. `headed` is false for the later events of a watch, which leave the columns out. An empty table of a
 * built-in kind without columns has null for its rows, as public servers have it.
 */
export function tableText(
  { kind, apiVersion }: Pick<TableForm, 'kind' | 'apiVersion'>,
  metadata: object,
  rows: readonly string[],
  headed = true,
): string {
  const definitions = headed ? JSON.stringify(columnsOf(kind).map(columnDefinition)) : 'null'
  const none = rows.length === 0 && kind.columns.length === 0 && kind.customResource === undefined
  return tableJson(apiVersion, metadata, definitions, none ? 'null' : `[${rows.join()}]`)
}

/** A table without columns and rows, for the bookmark of a watch: only its metadata says something. */
export function emptyTable(apiVersion: string, metadata: object): string {
  return tableJson(apiVersion, metadata, 'null', '[]')
}

function tableJson(
  apiVersion: string,
  metadata: object,
  definitions: string,
  rows: string,
): string {
  const head = `{"kind":"Table","apiVersion":${JSON.stringify(apiVersion)}`
  return `${head},"metadata":${JSON.stringify(metadata)},"columnDefinitions":${definitions},"rows":${rows}}`
}

/** A function that writes items as rows of a table, as JSON. What the columns need is looked up once, not for each item. */
export function rowsOf(form: TableForm): (items: readonly Item[]) => readonly string[] {
  const columns = columnsOf(form.kind)
  const row: RowWriter = { cells: columns.map(cellOf), conditions: rowConditionsOf(form.kind) }
  return (items) => items.map((item) => rowText(form, row, item))
}

function columnsOf({ columns }: Kind): readonly Column[] {
  return columns.length > 0 ? columns : defaultColumns
}

function columnDefinition({ name, type, format, description, priority }: Column): object {
  return { name, type, format: format ?? '', description, priority: priority ?? 0 }
}

/** What makes a row of an object. */
interface RowWriter {
  readonly cells: readonly CellFunction[]
  readonly conditions: (object: ApiObject) => readonly RowCondition[]
}

function rowText(form: TableForm, { cells, conditions }: RowWriter, item: Item): string {
  const object = item.object()
  const values = jsonText(cells.map((cell) => cell(object, form.now)))
  const facts = conditions(object)
  const conditionsText = facts.length === 0 ? '' : `,"conditions":${JSON.stringify(facts)}`
  return `{"cells":${values}${conditionsText}${objectText(form, item)}}`
}

function objectText({ apiVersion, include }: TableForm, item: Item): string {
  if (include === 'None') return ',"object":null'
  if (include === 'Object') return `,"object":${Buffer.from(item.bytes).toString()}`
  return `,"object":${partialMetadataJson(item, apiVersion)}`
}

/** JSON by our own encoder: cells may be integers beyond 2^53. */
function jsonText(value: unknown): string {
  return Buffer.from(encodeJson(value)).toString()
}
