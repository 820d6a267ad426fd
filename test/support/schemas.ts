/** The published documents as JSON Schema, for oracles that know nothing of our readers. */
import { scheme } from '../../generated/scheme.ts'

export type Schema = { [key: string]: unknown }

/** The component schemas of all documents, by name, in JSON Schema's words. */
export async function componentSchemas(): Promise<Readonly<Record<string, Schema>>> {
  const documents = Object.values(await scheme.openapi()).map((text) => JSON.parse(text))
  const all = Object.assign({}, ...documents.map((document) => document.components.schemas))
  return rewrite(all) as Record<string, Schema>
}

/** References become `#/definitions/X`, quantities get a format, and wrapped references lose their wrapping. */
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
  const entries = Object.entries(rest).map(([key, value]) => [key, rewrite(value)])
  return { ...Object.fromEntries(entries), ...(oneOf !== undefined && { anyOf: rewrite(oneOf) }) }
}
