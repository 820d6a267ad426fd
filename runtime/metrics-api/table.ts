/** Metrics as rows, for clients that ask for a table. */
import type { MetricsObject } from './objects.ts'

const tableType = /^application\/json\s*;(?=[^,]*\bas=Table\b)(?=[^,]*\bv=v1\b)/

/** True for a client that would rather have a table. */
export function wantsTable(accept: string): boolean {
  return accept.split(',').some((one) => tableType.test(one.trim()))
}

const column = (name: string, description: string) => ({
  ...{ name, type: 'string', format: name === 'Name' ? 'name' : '', description, priority: 0 },
})

/** Name, processor, memory and window of each. */
export function tableOf(objects: readonly MetricsObject[], metaVersion: string): object {
  return {
    ...{ kind: 'Table', apiVersion: metaVersion, metadata: {} },
    columnDefinitions: [
      column('Name', 'Name of the node or pod.'),
      column('CPU', 'Processor time that is used, of one processor.'),
      column('Memory', 'Memory that is worked with.'),
      column('Window', 'The time over which processor time was measured.'),
    ],
    rows: objects.map((object) => ({
      cells: [object.metadata.name, ...amountsOf(object), object.window],
      object: {
        ...{ kind: 'PartialObjectMetadata', apiVersion: metaVersion },
        metadata: object.metadata,
      },
    })),
  }
}

function amountsOf({ usage, containers = [] }: MetricsObject): readonly string[] {
  const all = usage === undefined ? containers.map((one) => one.usage) : [usage]
  const sum = (read: (one: (typeof all)[number]) => string) =>
    all.reduce((total, one) => total + Number.parseInt(read(one), 10), 0)
  return [`${sum(({ cpu }) => cpu)}n`, `${sum(({ memory }) => memory)}Ki`]
}
