/** Bodies that are refused before their kind is looked at, in the words that public clients know. */
import { StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { type DecodeError, type ObjectType, syntaxProblem } from '../../serializer/serializer.ts'

/** Characters of a body that a message shows. */
const shown = 30

const openingBrace = 0x7b

/** BadRequest for a body whose text cannot be read. */
export function unreadable(
  error: DecodeError,
  bytes: Uint8Array,
  expected: ObjectType,
): StatusError {
  const { why, line } = error
  if (why.startsWith('json: ')) {
    const version = expected.apiVersion.slice(expected.apiVersion.indexOf('/') + 1)
    const { kind } = expected
    return new StatusError(
      'BadRequest',
      `${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`,
    )
  }
  const problem = error.format === 'JSON' ? syntaxProblem(bytes) : undefined
  if (problem !== undefined) return unrecognized(`json parse error: ${problem}`, bytes, expected)
  const text = error.format === 'YAML' ? `yaml: line ${line}: ${why}` : error.message
  return new StatusError('BadRequest', messageOf(text, bytes, expected))
}

/** @throws StatusError BadRequest unless the value is an object, or null, whose kind and apiVersion are texts. */
export function checkShape(value: Json, bytes: Uint8Array, expected: ObjectType): void {
  if (value === null) return
  if (!isObject(value)) {
    const type = `Go value of type ${typeMeta}`
    throw mistyped(jsonType(value), type, bytes, expected)
  }
  for (const field of ['apiVersion', 'kind'] as const) {
    const given = value[field]
    if (given === undefined || given === null || typeof given === 'string') continue
    throw mistyped(jsonType(given), `Go struct field .${field} of type string`, bytes, expected)
  }
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function mistyped(
  found: string,
  target: string,
  bytes: Uint8Array,
  expected: ObjectType,
): StatusError {
  const problem = `json parse error: json: cannot unmarshal ${found} into ${target}`
  return unrecognized(problem, bytes, expected)
}

/** BadRequest for a body that does not say what it is. */
function unrecognized(problem: string, bytes: Uint8Array, expected: ObjectType): StatusError {
  const text = messageOf(`couldn't get version/kind; ${problem}`, bytes, expected)
  return new StatusError('BadRequest', text)
}

function messageOf(problem: string, bytes: Uint8Array, { kind }: ObjectType): string {
  return `the object provided is unrecognized (must be of type ${kind}): ${problem} (${start(bytes)})`
}

/** The first bytes of a body, in hexadecimal if it does not begin like JSON. */
function start(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>'
  const head = Buffer.from(bytes.subarray(0, shown))
  const more = bytes.length > shown ? ' ...' : ''
  return head.toString(bytes[0] === openingBrace ? 'utf8' : 'hex') + more
}

function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}
