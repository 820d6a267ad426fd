/** Random expressions over random schemas with objects that are valid for them, for property tests. */
import fc, { type Arbitrary } from 'fast-check'
import type { JsonObject } from '../../runtime/kernel/values/json.ts'

/** The bounds that a schema's fields have. */
export interface Limits {
  readonly length: number
  readonly items: number
  readonly properties: number
}

/** Random bounds. */
export const limitsOf: Arbitrary<Limits> = fc.record({
  length: fc.integer({ min: 0, max: 30 }),
  items: fc.integer({ min: 0, max: 8 }),
  properties: fc.integer({ min: 0, max: 5 }),
})

const choices = ['', 'a', 'production', 'é\u{1f600}']

/** A schema in which every text, list and map has these bounds. */
export function schemaWithin({ length, items, properties }: Limits): JsonObject {
  const text = { type: 'string', maxLength: length }
  const list = (of: JsonObject, more: JsonObject = {}) => ({
    type: 'array',
    maxItems: items,
    items: of,
    ...more,
  })
  const entry = { type: 'object', properties: { name: text, size: { type: 'integer' } } }
  return {
    type: 'object',
    properties: {
      s: text,
      e: { type: 'string', enum: choices },
      n: { type: 'integer' },
      d: { type: 'number' },
      b: { type: 'boolean' },
      at: { type: 'string', format: 'date-time' },
      span: { type: 'string', format: 'duration' },
      ls: list(text),
      ln: list({ type: 'integer' }),
      set: list(text, { 'x-orch-list-type': 'set' }),
      lo: list(entry),
      lm: list(entry, { 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['name'] }),
      m: { type: 'object', maxProperties: properties, additionalProperties: text },
    },
  }
}

/** Objects that the schema of these bounds allows. */
export function objectsWithin({ length, items, properties }: Limits): Arbitrary<object> {
  const character = fc.constantFrom('a', 'b', '/', '.', ' ', '1', 'é', '€', '\u{1f600}')
  const text = fc.array(character, { maxLength: length }).map((all) => all.join(''))
  const number = fc.integer({ min: -5, max: 40 })
  const list = <T>(of: Arbitrary<T>) => fc.array(of, { maxLength: items })
  const entry = fc.record({ name: text, size: number }, { noNullPrototype: true })
  const unique = <T>(of: Arbitrary<T>, key: (item: T) => string) =>
    fc.uniqueArray(of, { maxLength: items, selector: key })
  return fc.record(
    {
      s: text,
      e: fc.constantFrom(...choices),
      n: number,
      d: fc.double({ noNaN: true, noDefaultInfinity: true }),
      b: fc.boolean(),
      at: fc.constantFrom('2024-01-01T00:00:00Z', '2030-12-31T23:59:59.5+01:00'),
      span: fc.constantFrom('1h', '90s', '0s'),
      ls: list(text),
      ln: list(number),
      set: unique(text, (item) => item),
      lo: list(entry),
      lm: unique(entry, ({ name }) => name),
      m: fc.dictionary(text, text, { maxKeys: properties, noNullPrototype: true }),
    },
    { noNullPrototype: true },
  )
}

type Kind = 'bool' | 'int' | 'text' | 'ints' | 'texts' | 'things' | 'texts by text'

/** A source in which `#kind` stands for a part of that kind, `@` for a new variable, `~kind` for a part that may use it. */
type Form = readonly [source: string, bound?: Kind]

const forms: Readonly<Record<Kind, readonly Form[]>> = {
  bool: [
    ['true'],
    ['self.b'],
    ['has(self.s)'],
    ['!(#bool)'],
    ['(#bool && #bool)'],
    ['(#bool || #bool)'],
    ['(#bool ? #bool : #bool)'],
    ['#int == #int'],
    ['#int < #int'],
    ['#text == #text'],
    ['#text >= #text'],
    ['#texts == #texts'],
    ['#ints != #ints'],
    ['self.d > double(#int)'],
    ["self.at < timestamp('2025-01-01T00:00:00Z')"],
    ["self.span == duration('90s')"],
    ['#text.contains(#text)'],
    ["#text.matches('^[a-z]+(/|b)*$')"],
    ['#text in #texts'],
    ['#text in self.m'],
    ['#ints.isSorted()'],
    ['#ints.all(@, ~bool)', 'int'],
    ['#texts.exists(@, ~bool)', 'text'],
    ['#texts.exists_one(@, ~bool)', 'text'],
    ['self.lo.all(@, @.size > #int)', 'int'],
    ['self.lm.exists(@, @.name == #text)', 'text'],
    ['#texts by text.all(@, ~bool)', 'text'],
    ['isURL(#text)'],
    ['isQuantity(#text)'],
    ['sets.contains(#ints, #ints)'],
    ['self.set == self.set + #texts'],
    ['self.lm + self.lm == self.lm'],
    ['optional.of(#int).hasValue()'],
    ['self.?s.orValue(#text) == #text'],
    ['self.m[?#text].hasValue()'],
    ['self.?m[?#text].or(optional.of(#text)).hasValue()'],
    ["self.?s.optMap(@, @ + ~text).orValue('') == #text", 'text'],
    ['self.m[?#text].optFlatMap(@, ~bool ? optional.of(@) : optional.none()) == self.?s', 'text'],
    ['cel.bind(@, #text, ~bool)', 'text'],
    ['cel.bind(@, #ints, ~bool)', 'ints'],
    ['#texts.exists(i@, @, ~bool)', 'text'],
    ['self.m.all(k@, @, ~bool)', 'text'],
    ['#texts.transformList(i@, @, ~bool, @ + ~text).size() > 1', 'text'],
    ['#texts.transformMap(i@, @, ~bool, ~text).size() > 1', 'text'],
    ['#texts.isSorted()'],
    ['#texts.min() <= #text'],
    ['sets.intersects(#texts, #texts)'],
    ['sets.equivalent(#texts, #texts)'],
    ['dyn(#int) == dyn(#text)'],
    ['type(#text) == string'],
    ['self.lo == self.lo'],
    ['self.m == #texts by text'],
    ['string(bytes(#text)) == #text'],
    ['timestamp(self.s) > self.at'],
    ['duration(self.e) > self.span'],
    ['(#bool ? self.lo : self.lo)[#int].name == #text'],
    ["authorizer.group(#text).resource(#text).namespace(#text).check('get').allowed()"],
  ],
  int: [
    ['1'],
    ['self.n'],
    ['(#int + #int)'],
    ['(#int * #int)'],
    ['(#int / #int)'],
    ['-(#int)'],
    ['size(#text)'],
    ['size(#texts)'],
    ['#ints[#int]'],
    ['#text.indexOf(#text)'],
    ['#ints.sum()'],
    ['#ints.max()'],
    ['#texts.indexOf(#text)'],
    ['int(self.s)'],
    ['#text.lastIndexOf(#text)'],
    ['#ints.lastIndexOf(#int)'],
    ['bytes(#text).size()'],
    ['(#int % #int)'],
    ['{#text: #int}.size()'],
    ['self.lo[#int].size'],
    ['self.at.getFullYear()'],
    ["quantity('5Mi').asInteger()"],
  ],
  text: [
    ["'abc'"],
    ['self.s'],
    ['self.e'],
    ['(#text + #text)'],
    ['#texts[#int]'],
    ['self.m[#text]'],
    ['#text.lowerAscii()'],
    ['#text.trim()'],
    ['#text.substring(#int)'],
    ["#text.replace('a', #text)"],
    ["#text.find('[ab]+')"],
    ['string(#int)'],
    ['#text.charAt(#int)'],
    ['strings.quote(#text)'],
    ['(#bool ? #text : #text)'],
    ['self.lo[#int].name'],
    ['#text.replace(#text, #text, 2)'],
    ["url('https://h/' + #text).getEscapedPath()"],
  ],
  ints: [['[1, 2, 3]'], ['self.ln'], ['(#ints + #ints)'], ['#ints.filter(@, ~bool)', 'int']],
  texts: [
    ["['a', 'b']"],
    ['self.ls'],
    ['self.set'],
    ['(#texts + #texts)'],
    ["#text.split('a')"],
    ["#text.findAll('[ab]')"],
    ['#texts.filter(@, ~bool)', 'text'],
    ['#ints.map(@, ~text)', 'int'],
    ['#texts.map(@, ~bool, ~text)', 'text'],
    ['self.lo.map(@, @.name)', 'text'],
    ["[?self.?s, 'b']"],
    ['#text.split(#text, 2)'],
    ['(#bool ? #texts : #texts)'],
    ['self.lm.filter(@, @.name == #text).map(@, @.name)', 'text'],
  ],
  things: [['self.lo']],
  'texts by text': [['self.m'], ["{'a': #text, 'b': #text}"], ["{?'a': self.?s}"]],
}

const deepest = 5
const part = /([#~])(texts by text|bool|int(?!s)|text(?!s)|ints|texts|things)/

/** Random expressions of type bool over an object of that schema, as source. */
export const expressions: Arbitrary<string> = fc
  .infiniteStream(fc.nat({ max: 1_000_000 }))
  .map((stream) => written('bool', () => Number(stream.next().value), [], 0))

type Bound = readonly [name: string, kind: Kind]

function written(kind: Kind, random: () => number, bound: readonly Bound[], depth: number): string {
  const known = bound.filter(([, of]) => of === kind)
  const some = known[random() % Math.max(known.length * 2, 1)]
  if (some !== undefined) return some[0]
  const all = forms[kind]
  const count = depth >= deepest ? Math.min(2, all.length) : all.length
  const form = all[random() % count] as Form
  const plain = depth >= deepest && /[#~]/.test(form[0]) ? (all[0] as Form) : form
  return filled(plain, random, bound, depth)
}

function filled(
  [source, binds]: Form,
  random: () => number,
  bound: readonly Bound[],
  depth: number,
): string {
  const variable = `v${depth}`
  const inside: readonly Bound[] = binds === undefined ? bound : [...bound, [variable, binds]]
  let [out, rest] = ['', source.replaceAll('@', variable)]
  for (let found = part.exec(rest); found !== null; found = part.exec(rest)) {
    const scope = found[1] === '~' ? inside : bound
    out += rest.slice(0, found.index) + written(found[2] as Kind, random, scope, depth + 1)
    rest = rest.slice(found.index + found[0].length)
  }
  return out + rest
}
