/** Rules over random schemas: what compiles, what it is estimated to cost, and what it says of objects. */
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'
import type { Scenario, ScenarioClass, Step } from '../scenario.ts'
import { definitionOf, objectOf, objectsPath, tried, withDefinition } from './definitions.ts'
import { randomRule } from './random-rule.ts'
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
      const rules = Array.from({ length: count }, () =>
        randomRule(random, typed(random, 'bool', 3)),
      )
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
  const steps = Array.from({ length: 5 }).flatMap((): readonly Step[] => {
    const objectName = `a${random.below(1e9)}`
    const path = objectsPath(name, namespace)
    const made = (): JsonObject =>
      objectOf(name, objectName, { spec: fittingValue(random, schema) })
    const metadata = { name: objectName, resourceVersion: '$resourceVersion' }
    return [
      { method: 'POST', path, body: made() },
      { method: 'PUT', path: `${path}/${objectName}`, body: { ...made(), metadata } },
    ]
  })
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

const timeParts = [
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
]
const spanParts = ['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds']
const urlParts = ['getScheme', 'getHost', 'getHostname', 'getPort', 'getEscapedPath']

/** Expressions without parts, by what they give. */
const simple: Readonly<Record<Kind, readonly string[]>> = {
  bool: [
    'true',
    'self == oldSelf',
    'self.n >= oldSelf.n',
    'self.b',
    'has(self.s)',
    'has(self.m)',
    "self.e == 'a'",
  ],
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
        () => `url(${inner('text')}) == url(${inner('text')})`,
        () => `isQuantity(${inner('text')})`,
        () =>
          `quantity(${inner('text')}).${random.pick(['isLessThan', 'isGreaterThan'])}(quantity('1'))`,
        () => `quantity('1Gi').compareTo(quantity('${random.pick(['1G', '1024Mi'])}')) == 0`,
        () => `quantity('${random.pick(['1', '1m', '-2'])}').isInteger()`,
        () => `${inner('texts')}.existsOne(x, x == ${inner('text')})`,
        () => `${inner('texts')}.exists(x, ${inner('texts')}.all(y, x == y))`,
        () => `${inner('map')}.exists(k, ${inner('map')}[k] == ${inner('text')})`,
        () => `has(self.lo) && self.lo.all(o, has(o.name) && o.size > 0)`,
        () => `${inner('map')} == ${inner('map')}`,
        () => `optional.of(${inner('int')}).hasValue()`,
        () => `self.?n.orValue(1) == ${inner('int')}`,
        () => `self.lo[?0].?name.optMap(x, size(x)).orValue(0) > ${inner('int')}`,
        () => `dyn(${inner(random.pick<Kind>(['int', 'text', 'double']))}) == ${inner('int')}`,
        () => `${inner('bool')} in [${inner('bool')}]`,
        () => `size(${inner('texts')}) in ${inner('ints')}`,
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
        () => `${inner('time')}.${random.pick(timeParts)}()`,
        () =>
          `${inner('time')}.getHours('${random.pick(['Europe/Berlin', '+01:30', 'X', '-5:00'])}')`,
        () => `${inner('span')}.${random.pick(spanParts)}()`,
        () => `${inner('text')}.lastIndexOf(${inner('text')}, ${random.below(3)})`,
        () => `${inner('texts')}.indexOf(${inner('text')})`,
        () => `${inner('texts')}.lastIndexOf(${inner('text')})`,
        () => `${inner('ints')}.min()`,
        () => `int(${inner(random.pick<Kind>(['double', 'time', 'int', 'span']))})`,
        () => `quantity('${random.pick(['1k', '5', '1.5', '1e30'])}').asInteger()`,
        () => `(${inner('bool')} ? ${inner('int')} : ${inner('int')})`,
        () => `int(uint(${inner('int')}))`,
      ]
    case 'double':
      return [
        () => `quantity(${inner('text')}).asApproximateFloat()`,
        () => `double(${inner('text')})`,
        pair('double', ['+', '-', '*', '/']),
        () => `double(${inner('int')})`,
      ]
    case 'text':
      return [
        pair('text', ['+']),
        () => `string(${inner('int')})`,
        () => `${inner('text')}.${random.pick(['lowerAscii', 'upperAscii', 'trim'])}()`,
        () => `${inner('text')}.substring(${random.below(3)})`,
        () => `${inner('text')}.replace('a', ${inner('text')})`,
        () => `${inner('texts')}.join(',')`,
        () => `${inner('texts')}[${random.below(3)}]`,
        () => `url(${inner('text')}).${random.pick(urlParts)}()`,
        () => `${inner('text')}.substring(${random.below(3)}, ${random.below(6)})`,
        () => `${inner('text')}.charAt(${random.below(3)})`,
        () => `${inner('text')}.replace('a', 'bb', ${random.below(3) - 1})`,
        () => `string(${inner(random.pick<Kind>(['double', 'bool', 'time', 'span']))})`,
        () => `string(bytes(${inner('text')}))`,
        () => `${inner('texts')}.${random.pick(['min', 'max', 'join'])}()`,
        () => `${inner('map')}[${inner('text')}]`,
        () => `(self.bytes == b'a' ? 'a' : r'\\d')`,
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
        () => `${inner('text')}.findAll('[a-z]', ${random.below(3)})`,
        () => `${inner('text')}.split(',', ${random.below(4) - 1})`,
        () => `${inner('map')}.map(k, k)`,
        () => `${inner('texts')}.map(x, x != '', x.upperAscii())`,
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
