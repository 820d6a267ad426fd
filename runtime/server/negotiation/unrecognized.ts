/** Bodies that are refused before their kind is looked at, in the words that public clients know. */
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { PatchType } from '../../registry/registry.ts'
import {
  type DecodeError,
  type ObjectType,
  syntaxProblem,
  typeMetaProblem,
} from '../../serializer/serializer.ts'

/** Characters of a body that a message shows. */
const shown = 30

const openingBrace = 0x7b

/** BadRequest for a body whose text cannot be read. */
export function unreadable(
  error: DecodeError,
  bytes: Uint8Array,
  expected: ObjectType,
): StatusError {
  const { why } = error
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
  const text = error.format === 'YAML' ? yamlProblem(error) : error.message
  return new StatusError('BadRequest', messageOf(text, bytes, expected))
}

/** What is wrong with a text as a whole stands in no line. */
function yamlProblem({ why, at }: DecodeError): string {
  return at === undefined ? `yaml: ${why}` : `yaml: line ${at.line}: ${why}`
}

/** @throws StatusError BadRequest unless the value is an object, or null, that says in texts of what kind and version it is. */
export function checkShape(value: Json, bytes: Uint8Array, expected: ObjectType): void {
  const problem = typeMetaProblem(value)
  if (problem !== undefined)
    throw new StatusError('BadRequest', messageOf(problem, bytes, expected))
}

/** BadRequest for a body that does not say what it is. */
function unrecognized(problem: string, bytes: Uint8Array, expected: ObjectType): StatusError {
  const text = messageOf(`couldn't get version/kind; ${problem}`, bytes, expected)
  return new StatusError('BadRequest', text)
}

/** Options are told without the body that they came in. */
function messageOf(problem: string, bytes: Uint8Array, { kind }: ObjectType): string {
  if (kind === 'DeleteOptions') return problem
  return `the object provided is unrecognized (must be of type ${kind}): ${problem} (${start(bytes)})`
}

/** The first bytes of a body, in hexadecimal if it does not begin like JSON. */
function start(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>'
  const head = Buffer.from(bytes.subarray(0, shown))
  const more = bytes.length > shown ? ' ...' : ''
  return head.toString(bytes[0] === openingBrace ? 'utf8' : 'hex') + more
}

/** The refusal of a Protobuf body; one that does not even begin as such is not recognized. */
export function withoutPrefix(
  error: StatusError,
  bytes: Uint8Array,
  expected: ObjectType,
): StatusError {
  const [problem] = /provided data does not appear .*$/.exec(error.message) ?? []
  if (problem === undefined) return error
  return new StatusError(
    'BadRequest',
    messageOf(bytes.length === 0 ? 'empty data' : problem, bytes, expected),
  )
}

/** BadRequest for a patch that is no JSON; a strategic merge patch, or one whose fields are not checked, is not called a patch. */
export function unreadablePatch(
  error: DecodeError,
  bytes: Uint8Array,
  type: PatchType,
  checked: boolean,
): StatusError {
  if (type === 'apply') {
    const why = `error converting YAML to JSON: ${yamlProblem(error)}`
    return new StatusError('BadRequest', `error decoding YAML: ${why}`)
  }
  const problem = syntaxProblem(bytes)
  if (problem === undefined) return error
  if (!checked && type === 'merge') return new StatusError('BadRequest', 'Invalid JSON Patch')
  const where = checked && type !== 'strategic' ? 'error decoding patch: ' : ''
  return new StatusError('BadRequest', `${where}${problem}`)
}
