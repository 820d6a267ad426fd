/** What a schema of a definition may say at all: its words one by one, and the types of its lists and maps. */
import { forbidden, invalid, unsupported } from '../kernel/causes.ts'
import type { Json } from '../kernel/json.ts'
import type { Finding } from '../kernel/read.ts'
import type { Steps } from '../kernel/turns.ts'
import { listFindings } from './list-types.ts'
import { instructionsOf, mostInstructionsOfSchema } from './pattern-size.ts'
import { patternOf, workOfPattern } from './patterns.ts'
import { mostFindings, partsOf, type Schema } from './schema.ts'

/** Words of JSON Schema that a definition cannot use. */
const refused = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
]

/** What looking at one node takes, in the units of steps. */
const workOfNode = 3

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

/** Everything wrong with the words of a schema, alternatives included. */
export function* keywordFindings(schema: Schema, place: string, x: string): Steps<Finding[]> {
  const found: Finding[] = []
  const waiting: { schema: Schema; place: string }[] = [{ schema, place }]
  const patterns = new Set<string>()
  let instructions = 0
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { pattern } = one.schema
    if (pattern !== '' && !patterns.has(pattern)) {
      patterns.add(pattern)
      instructions += instructionsOf(pattern)
      if (instructions > mostInstructionsOfSchema) return [...found, tooManyPatterns(place)]
    }
    found.push(...nodeFindings(one.schema, one.place, x), ...listFindings(one.schema, one.place, x))
    yield workOfNode + workOfPattern(one.schema.pattern)
    if (found.length >= mostFindings) break
    for (const part of partsOf(one.schema).reverse()) {
      waiting.push({ schema: part.schema, place: `${one.place}.${part.step}` })
    }
  }
  return found
}

function tooManyPatterns(place: string): Finding {
  const why = `its patterns compile to more than ${mostInstructionsOfSchema} instructions together`
  return forbidden(place, why)
}

function nodeFindings(schema: Schema, place: string, x: string): Finding[] {
  const { raw, type, pattern } = schema
  const found = refused
    .filter((word) => isSaid(raw[word]))
    .map((word) => forbidden(`${place}.${word}`, `${word} is not supported`))
  if (type === 'null') {
    const why = 'type cannot be set to null, use nullable as an alternative'
    found.push(forbidden(`${place}.type`, why))
  } else if (type !== '' && !types.includes(type)) {
    found.push(unsupported(`${place}.type`, type, types))
  }
  if (Array.isArray(raw.items)) {
    const why = 'items must be a schema object and not an array'
    found.push(forbidden(`${place}.items`, why))
  }
  if (raw.uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    found.push(forbidden(`${place}.uniqueItems`, why))
  }
  found.push(...moreFindings(schema, place))
  if (raw[`x-${x}-preserve-unknown-fields`] === false) {
    const at = `${place}.x-${x}-preserve-unknown-fields`
    found.push(invalid(at, false, 'must be true or undefined'))
  }
  const problem = pattern === '' ? undefined : patternProblem(pattern)
  if (problem !== undefined) {
    const why = `must be a valid regular expression, but isn't: ${problem}`
    found.push(invalid(`${place}.pattern`, pattern, why))
  }
  return found
}

function isSaid(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function moreFindings({ additionalProperties: more, properties }: Schema, place: string) {
  const at = `${place}.additionalProperties`
  const found: Finding[] = []
  if (more === false) found.push(forbidden(at, 'additionalProperties cannot be set to false'))
  if (properties.size > 0 && more !== undefined && more !== true) {
    found.push(forbidden(at, 'additionalProperties and properties are mutual exclusive'))
  }
  return found
}

function patternProblem(pattern: string): string | undefined {
  const compiled = patternOf(pattern)
  return typeof compiled === 'string' ? compiled : undefined
}
