/** The parameters of operations. */
import type { Parameter, Schema } from './path-context.ts'

/** A parameter as a document has it. */
export function queryParameter({ name, type, description }: Parameter): Schema {
  return { name, in: 'query', description, schema: { type, uniqueItems: true } }
}

/** The parameter that every operation takes. */
export const pretty: Schema = queryParameter({
  name: 'pretty',
  type: 'string',
  description:
    'True asks for output that is indented for people, which browsers and download tools get anyway.',
})

/** A variable of the path. */
export function pathParameter(name: 'name' | 'namespace', kind: string): Schema {
  const description = name === 'name' ? `Name of the ${kind}.` : 'Namespace of the object.'
  const schema = { type: 'string', uniqueItems: true }
  return { name, in: 'path', description, required: true, schema }
}

/** Operations of one path by method. */
export type Operations = Readonly<Record<string, Schema>>

/** The item of a path: what all of its operations take stands beside them, sorted by name. */
export function pathItem(operations: Operations, shared: readonly Schema[]): Schema {
  const all = Object.entries(operations)
  const [first] = all
  if (first === undefined) return {}
  const lists = all.map(([, operation]) => (operation.parameters ?? []) as readonly Schema[])
  const common = (lists[0] ?? []).filter(({ name }) =>
    lists.every((list) => list.some((one) => one.name === name)),
  )
  const hoisted = new Set(common.map(({ name }) => name))
  const items = all.map(([method, { parameters, ...operation }], index) => {
    const own = (lists[index] ?? []).filter(({ name }) => !hoisted.has(name))
    const { tags, description, operationId, ...rest } = operation
    const head = { tags, description, operationId }
    return [method, { ...head, ...(own.length > 0 && { parameters: own }), ...rest }]
  })
  const parameters = [...common, ...shared, pretty].sort((a, b) =>
    String(a.name) < String(b.name) ? -1 : 1,
  )
  return { ...Object.fromEntries(items), parameters }
}
