import {
  validateDefaults,
  validateMetadataDefaults,
} from '../../runtime/apiextensions/definition/validate-defaults.ts'
import { ReadContext } from '../../runtime/apiextensions/reader/read-context.ts'
import { compileReader } from '../../runtime/apiextensions/reader/reader.ts'
import { parseSchema } from '../../runtime/apiextensions/schema/schema.ts'
import { validateStructural } from '../../runtime/apiextensions/schema/structural.ts'
import { runToCompletion } from '../../runtime/kernel/async/slices.ts'
import type { Metadata } from '../../runtime/kernel/meta/object.ts'
import type { Json, JsonObject } from '../../runtime/kernel/values/json.ts'

const metadata = (value: unknown): Metadata => (value ?? {}) as Metadata

/** What is wrong with a schema, one text for each finding: the place below the schema, and why. */
export function refusals(raw: object): readonly string[] {
  const schema = runToCompletion(parseSchema(raw as JsonObject, 'orch'))
  const found = runToCompletion(validateStructural(schema, 's', 'orch'))
  const all =
    found.length > 0
      ? found
      : [
          ...validateMetadataDefaults(schema, 's'),
          ...runToCompletion(validateDefaults(schema, 's', metadata)),
        ]
  return all.map(({ path, message }) => `${path}: ${message}`)
}

/** What a schema makes of a value, what it says about it, and how much of the bounded work it asked for. */
export function readBy(
  raw: object,
  value: unknown,
): {
  readonly value: Json
  readonly findings: readonly string[]
  readonly unknown: readonly string[]
  readonly work: number
} {
  const node = compileReader(runToCompletion(parseSchema(raw as JsonObject, 'orch')), metadata)
  const walk = new ReadContext({ errors: [], unknownFields: [] })
  const read = node.read(value as Json, walk)
  walk.finish()
  const findings = walk.errors.map(({ path, message }) => `${path || '<nil>'}: ${message}`)
  return { value: read, findings, unknown: walk.unknownFields, work: walk.work }
}
