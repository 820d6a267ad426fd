import { defaultFindings, metadataDefaults } from '../../runtime/customs/defaults.ts'
import { nodeOf } from '../../runtime/customs/reader.ts'
import { schemaOf } from '../../runtime/customs/schema.ts'
import { structuralFindings } from '../../runtime/customs/structural.ts'
import { Walk } from '../../runtime/customs/walk.ts'
import type { Json, JsonObject } from '../../runtime/kernel/json.ts'
import type { Metadata } from '../../runtime/kernel/object.ts'
import { atOnce } from '../../runtime/kernel/turns.ts'

const metadata = (value: unknown): Metadata => (value ?? {}) as Metadata

/** What is wrong with a schema, one text for each finding: the place below the schema, and why. */
export function refusals(raw: object): readonly string[] {
  const schema = atOnce(schemaOf(raw as JsonObject, 'orch'))
  const found = atOnce(structuralFindings(schema, 's', 'orch'))
  const all =
    found.length > 0
      ? found
      : [...metadataDefaults(schema, 's'), ...atOnce(defaultFindings(schema, 's', metadata))]
  return all.map(({ path, message }) => `${path}: ${message}`)
}

/** What a schema makes of a value, what it says about it, and how many milliseconds that took. */
export function readBy(
  raw: object,
  value: unknown,
): {
  readonly value: Json
  readonly findings: readonly string[]
  readonly unknown: readonly string[]
  readonly took: number
} {
  const node = nodeOf(atOnce(schemaOf(raw as JsonObject, 'orch')), metadata)
  const walk = new Walk({ findings: [], unknown: [] })
  const began = performance.now()
  const read = node.read(value as Json, walk)
  walk.finish()
  const took = performance.now() - began
  const findings = walk.findings.map(({ path, message }) => `${path || '<nil>'}: ${message}`)
  return { value: read, findings, unknown: walk.unknown, took }
}
