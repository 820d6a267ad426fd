/** Rules over random schemas: what compiles, what it is estimated to cost, and what it says of objects. */
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'
import type { Scenario, ScenarioClass, Step } from '../scenario.ts'
import { definitionOf, objectOf, objectsPath, tried, withDefinition } from './definitions.ts'
import { fittingValue } from './random-schema.ts'

/** Random expressions in the rules of a definition, and objects that they judge. */
export const expressions: ScenarioClass = {
  name: 'expressions',
  about: 'validation rules: whether they compile, their cost, and their results on objects',
  prepare:
    ({ namespace }) =>
    (random, name) => {
      const schema = boundedSchema(random)
      const count = 1 + random.below(3)
      const rules = Array.from({ length: count }, () => ({ rule: typed(random, 'bool', 3) }))
      const ruled = { ...schema, 'x-kubernetes-validations': rules }
      const root = { type: 'object', properties: { spec: ruled } }
      const definition = definitionOf(name, root)
      if (random.chance(0.85)) return { ...tried(definition), subject: 'rule' }
      return evaluated(definition, ruled, namespace, name, random)
    },
}

/** The steps that define a kind and judge an object by its rules. */
function evaluated(
  definition: JsonObject,
  schema: JsonObject,
  namespace: string,
  name: string,
  random: Random,
): Scenario {
  const steps = Array.from(
    { length: 8 },
    (): Step => ({
      method: 'POST',
      path: objectsPath(name, namespace),
      body: objectOf(name, `a${random.below(1e9)}`, { spec: fittingValue(random, schema) }),
    }),
  )
  return {
    subject: 'rule on objects',
    anyOrder: true,
    steps: withDefinition(definition, name, namespace, steps),
  }
}

/** A schema with a field of each type, most of them with bounds, on which the worst cost depends. */
function boundedSchema(random: Random): JsonObject {
  const bound = (keyword: string, values: readonly number[]): JsonObject =>
    random.chance(0.6) ? { [keyword]: random.pick(values) } : {}
  const text = (): JsonObject => ({ type: 'string', ...bound('maxLength', [5, 64, 100_000]) })
  const list = (items: JsonObject): JsonObject => ({
    type: 'array',
    items,
    ...bound('maxItems', [3, 100, 10_000]),
  })
  return {
    type: 'object',
    properties: {
      s: text(),
      e: { type: 'string', enum: ['a', 'bb', 'ccc'] },
      n: { type: 'integer' },
      d: { type: 'number' },
      b: { type: 'boolean' },
      at: { type: 'string', format: 'date-time' },
      span: { type: 'string', format: 'duration' },
      bytes: { type: 'string', format: 'byte' },
      ls: list(text()),
      ln: list({ type: 'integer' }),
      lo: list({ type: 'object', properties: { name: text(), size: { type: 'integer' } } }),
      m: { type: 'object', additionalProperties: text(), ...bound('maxProperties', [2, 50, 5000]) },
      any: { 'x-kubernetes-preserve-unknown-fields': true, type: 'object' },
      port: { 'x-kubernetes-int-or-string': true },
    },
  }
}

/** What an expression gives. */
type Kind = 'bool' | 'int' | 'double' | 'text' | 'texts' | 'ints' | 'map' | 'time' | 'span'

/** An expression of a type; in rare cases of another one. */
function typed(random: Random, kind: Kind, depth: number): string {
  const wanted = random.chance(0.01) ? random.pick<Kind>(['bool', 'int', 'text', 'texts']) : kind
  const leaves = simple[wanted]
  if (depth === 0) return random.pick(leaves)
  const inner = (of: Kind): string => typed(random, of, depth - 1)
  return random.pick([...leaves.map((leaf) => () => leaf), ...composed(wanted, inner, random)])()
}

/** Expressions without parts, by what they give. */
const simple: Readonly<Record<Kind, readonly string[]>> = {
  bool: ['true', 'self.b', 'has(self.s)', 'has(self.m)', "self.e == 'a'"],
  int: ['1', 'self.n', 'size(self.ls)', '-1', '0x10'],
  double: ['1.5', 'self.d', 'double(1)'],
  text: ["'a'", 'self.s', 'self.e', "''", 'self.ls[0]', "self.m['a']"],
  texts: ['self.ls', "['a', 'b']", 'self.lo.map(o, o.name)', 'self.ls.filter(x, x != self.s)'],
  ints: ['self.ln', '[1, 2]', 'self.ln.map(x, x + 1)'],
  map: ['self.m', "{'a': 'b'}"],
  time: ['self.at', "timestamp('2024-01-01T00:00:00Z')"],
  span: ['self.span', "duration('1h')"],
}

/** An expression of the kind that is made of others. */
function composed(
  kind: Kind,
  inner: (kind: Kind) => string,
  random: Random,
): readonly (() => string)[] {
  const pair = (of: Kind, operators: readonly string[]) => (): string =>
    `${inner(of)} ${random.pick(operators)} ${inner(of)}`
  switch (kind) {
    case 'bool':
      return [
        () => `(${inner('bool')} && ${inner('bool')})`,
        () => `(${inner('bool')} || ${inner('bool')})`,
        () => `!${inner('bool')}`,
        pair('int', ['<', '<=', '==', '!=', '>']),
        pair('text', ['==', '!=', '<']),
        pair('double', ['<', '>=']),
        pair('time', ['<', '==']),
        pair('span', ['<', '==']),
        pair('texts', ['==', '!=']),
        () => `${inner('text')} in ${inner('texts')}`,
        () => `${inner('text')} in ${inner('map')}`,
        () =>
          `${inner('text')}.${random.pick(['startsWith', 'endsWith', 'contains', 'matches'])}(${inner('text')})`,
        () =>
          `${inner('texts')}.${random.pick(['all', 'exists', 'exists_one'])}(x, x == ${inner('text')})`,
        () => `${inner('map')}.all(k, k.contains('a'))`,
        () => `self.lo.exists(o, o.size > ${inner('int')})`,
        () => `${inner('texts')}.isSorted()`,
        () => `isURL(${inner('text')})`,
        () =>
          `isQuantity(${inner('text')}) && quantity(${inner('text')}).isGreaterThan(quantity('1Gi'))`,
        () => `type(${inner('int')}) == int`,
        () => `(${inner('bool')} ? ${inner('bool')} : ${inner('bool')})`,
        () => `has(self.any.x) && self.any.x == ${inner('int')}`,
        () => `self.port == ${random.pick(['80', "'http'"])}`,
      ]
    case 'int':
      return [
        pair('int', ['+', '-', '*', '/', '%']),
        () => `size(${inner(random.pick<Kind>(['text', 'texts', 'map']))})`,
        () => `int(${inner('text')})`,
        () => `${inner('ints')}.sum()`,
        () => `${inner('ints')}.max()`,
        () => `${inner('text')}.indexOf(${inner('text')})`,
        () => `${inner('time')}.getFullYear()`,
        () => `${inner('span')}.getSeconds()`,
      ]
    case 'double':
      return [pair('double', ['+', '*', '/']), () => `double(${inner('int')})`]
    case 'text':
      return [
        pair('text', ['+']),
        () => `string(${inner('int')})`,
        () => `${inner('text')}.${random.pick(['lowerAscii', 'upperAscii', 'trim'])}()`,
        () => `${inner('text')}.substring(${random.below(3)})`,
        () => `${inner('text')}.replace('a', ${inner('text')})`,
        () => `${inner('texts')}.join(',')`,
        () => `${inner('texts')}[${random.below(3)}]`,
        () => `url(${inner('text')}).getHost()`,
        () => `${inner('text')}.find('[a-z]+')`,
        () => `(${inner('bool')} ? ${inner('text')} : ${inner('text')})`,
      ]
    case 'texts':
      return [
        pair('texts', ['+']),
        () => `${inner('texts')}.map(x, x + ${inner('text')})`,
        () => `${inner('texts')}.filter(x, x != ${inner('text')})`,
        () => `${inner('text')}.split(',')`,
        () => `(has(self.ls) ? ${inner('texts')} : [])`,
        () => `[${inner('text')}, ${inner('text')}]`,
        () => `${inner('text')}.findAll('[a-z]')`,
      ]
    case 'ints':
      return [
        pair('ints', ['+']),
        () => `${inner('ints')}.filter(x, x > ${inner('int')})`,
        () => `${inner('texts')}.map(x, size(x))`,
      ]
    case 'map':
      return [() => `{${inner('text')}: ${inner('text')}}`]
    case 'time':
      return [() => `${inner('time')} + ${inner('span')}`, () => `timestamp(${inner('text')})`]
    case 'span':
      return [() => `${inner('time')} - ${inner('time')}`, () => `duration(${inner('text')})`]
  }
}
