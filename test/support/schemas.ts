/**
 * The schemas of the platform as JSON Schema, for oracles that know nothing of our readers. They say more than published ones,
 * which leave the values of some closed sets out.
 */
import { join } from 'node:path'
import { modelOf } from '../../codegen/emit/model/create-model.ts'
import { componentOf, schemaName } from '../../codegen/emit/openapi/schemas.ts'
import { packageRoot } from '../../codegen/main.ts'
import { readSources } from '../../codegen/schema/files/sources.ts'
import type { StructType, Type } from '../../codegen/schema/named-type.ts'
import { readApi } from '../../codegen/schema/read.ts'
import { scheme } from '../../generated/scheme.ts'

export type Schema = { [key: string]: unknown }

/** The component schemas by name, in JSON Schema's words. */
export async function componentSchemas(): Promise<Readonly<Record<string, Schema>>> {
  const folder = join(packageRoot, 'schemas')
  const sources = await readSources([{ folder, prefix: '' }], join(folder, 'platform/orch.yaml'))
  const { api, findings } = readApi(sources, () => '')
  if (api === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  const closed = new Map(
    api.types.flatMap((type) =>
      type.is === 'enum' && type.closed ? [[type.id, type.values]] : [],
    ),
  )
  const types = api.types.map((type) => {
    if (type.is === 'enum') return { ...type, published: false }
    return type.is === 'struct' ? withValues(type, closed) : type
  })
  const model = modelOf({ ...api, types })
  const names = new Set(
    Object.values(await scheme.openapi()).flatMap((text) =>
      Object.keys(JSON.parse(text).components.schemas),
    ),
  )
  const entries = types.flatMap((type) => {
    const schema = componentOf(type, model)
    const name = schemaName(type, model)
    return schema === undefined || !names.has(name) ? [] : [[name, schema] as const]
  })
  return rewrite(Object.fromEntries(entries)) as Record<string, Schema>
}

/** The struct with the values of closed sets written out where they are used. */
function withValues(
  struct: StructType,
  closed: ReadonlyMap<string, readonly string[]>,
): StructType {
  const told = (type: Type): Type => {
    if (type.is === 'list') return { ...type, items: told(type.items) }
    if (type.is === 'map') return { ...type, values: told(type.values) }
    const values = type.is === 'ref' ? closed.get(type.to) : undefined
    return values === undefined ? type : { is: 'string', bounds: { values } }
  }
  return { ...struct, fields: struct.fields.map((one) => ({ ...one, type: told(one.type) })) }
}

/** References become `#/definitions/X`, texts with a form of their own get a format, and wrapped references lose their wrapping. */
function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite)
  if (typeof node !== 'object' || node === null) return node
  const { $ref, allOf, oneOf, ...rest } = node as Schema
  if (typeof $ref === 'string')
    return { $ref: $ref.replace('#/components/schemas/', '#/definitions/') }
  if (Array.isArray(allOf) && allOf.length === 1) return rewrite(allOf[0])
  if (JSON.stringify(oneOf) === '[{"type":"string"},{"type":"number"}]') {
    return { type: ['string', 'number'], format: 'quantity' }
  }
  if (rest.format === 'int-or-string') {
    return { anyOf: [{ type: 'integer', format: 'int32' }, { type: 'string' }] }
  }
  const entries = Object.entries(rest).map(([key, value]) => [key, rewrite(value)])
  return { ...Object.fromEntries(entries), ...(oneOf !== undefined && { anyOf: rewrite(oneOf) }) }
}
