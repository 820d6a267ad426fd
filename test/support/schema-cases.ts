import { validateVersionSchema } from '../../runtime/apiextensions/definition/validate-version-schema.ts'
import { ReadContext } from '../../runtime/apiextensions/reader/read-context.ts'
import { compileReader } from '../../runtime/apiextensions/reader/reader.ts'
import { schemaOf } from '../../runtime/apiextensions/schema/schema.ts'
import { runToCompletion } from '../../runtime/kernel/async/slices.ts'
import { defaultEnabledGates } from '../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Metadata } from '../../runtime/kernel/meta/object.ts'
import type { Json, JsonObject } from '../../runtime/kernel/values/json.ts'

const metadata = (value: unknown): Metadata => (value ?? {}) as Metadata

/** What is wrong with a schema, one text for each finding: the place below the schema, and why. */
export function refusals(raw: object): readonly string[] {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: raw } }
  const options = { extension: 'orch', gates: defaultEnabledGates }
  const found = runToCompletion(validateVersionSchema(version, 's', false, options))
  return found.map(
    ({ path, message }) =>
      `${path.replace('s.openAPIV3Schema', 's')}: ${message.replaceAll('s.openAPIV3Schema', 's')}`,
  )
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
  const node = compileReader(schemaOf(raw as JsonObject, 'orch'), metadata)
  const walk = new ReadContext({ errors: [], unknownFields: [] })
  const read = node.read(value as Json, walk)
  walk.finish()
  const findings = walk.errors.map(({ path, message }) => `${path || '<nil>'}: ${message}`)
  return { value: read, findings, unknown: walk.unknownFields, work: walk.work }
}
