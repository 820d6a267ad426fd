/**
 * Expressions made to hold the process: each does as much as it can for what it pays. `compile` and `evaluate` are the
 * only ways in, so that what is measured here is what an attacker has.
 */
import {
  apiLibraries,
  type Budget,
  type Compilation,
  compile,
  createEnvironment,
  type Evaluation,
  readSchema,
  schemaType,
  types,
  withVariables,
} from '../../runtime/cel/cel.ts'
import { invariant } from '../../runtime/kernel/errors/invariant.ts'
import type { JsonObject } from '../../runtime/kernel/values/json.ts'

/** An expression over `self`, and what makes it slow. */
export interface WorstCase {
  readonly name: string
  readonly source: string
  readonly self: () => unknown
  /** The schema of `self`; dynamic without one. */
  readonly schema?: JsonObject
}

/** What every expression of an API object may call. */
const base = createEnvironment({ libraries: apiLibraries })
/** `self` without a schema: nothing is known before it is evaluated. */
const dynamic = withVariables(base, [{ name: 'self', type: types.dynType }])

/** The evaluation of a case, ready to run again and again. */
export function prepare({ source, self, schema }: WorstCase): (budget?: Budget) => Evaluation {
  const compiled = compile(source, schema === undefined ? dynamic : typed(schema))
  invariant(compiled.ok, `${source} compiles`)
  const { program } = compiled
  const bindings = { self: self() }
  return (budget) => program.evaluate(bindings, budget)
}

/** `self` with the type and the bounds of a schema. */
function typed(schema: JsonObject) {
  const found = schemaType(readSchema(schema, { prefixes: ['orch'] }), 'self')
  invariant(found !== undefined, 'the schema is visible')
  const { type, read, bounds } = found
  return withVariables(base, [{ name: 'self', type, read }], bounds)
}

/** A list that two nested macros walk a million times. */
const thousand = Array.from({ length: 1000 }, (_, at) => at)
const texts = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`)
const entries = (count: number) => Object.fromEntries(texts(count).map((text, at) => [text, at]))
const a = (count: number) => 'a'.repeat(count)

/** As irregular as texts of two letters get, and the same each time. */
function random(length: number, seed = 0): string {
  let state = seed + 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return 'ab'[(state >>> 16) & 1]
  }).join('')
}

/** A body that runs up to a million times. */
function often(name: string, body: string, self: () => object = () => ({})): WorstCase {
  const source = `self.list.all(a, self.list.all(b, (${body}) || true))`
  return { name, source, self: () => ({ list: thousand, ...self() }) }
}

/** The same with a schema, in which `x` is the field that is slow to read or to compare. */
function typedOften(name: string, body: string, field: JsonObject, value: () => unknown) {
  const list = { type: 'array', items: { type: 'integer' } }
  const schema = { type: 'object', properties: { list, x: field } }
  return { ...often(name, body, () => ({ x: value() })), schema }
}

/** Macros in each other. The parser refuses more than 250 levels. */
const nest = (depth: number): string =>
  depth === 0 ? 'true' : `self.list.all(v${depth}, ${nest(depth - 1)})`

const text = { type: 'string' }
/** Compared without order, which naively takes the square of its length. */
const set = { type: 'array', 'x-orch-list-type': 'set', items: text }

/** Regular expressions that blow up in an engine that goes back, or whose automata have many states. */
const patterns: readonly WorstCase[] = [
  often('a nested quantifier', "self.text.matches('^(a+)+$')", () => ({ text: `${a(200_000)}!` })),
  often('a pattern of many states', "self.text.matches('(a?){500}(a?){500}b')", () => ({
    text: a(100_000),
  })),
  often('a pattern with a state for each text', "self.text.matches('[ab]*a[ab]{60}[cd]')", () => ({
    text: random(20_000),
  })),
  often('a large pattern with such states', "self.text.matches('([ab]{1,30}a){1,10}[cd]')", () => ({
    text: random(20_000),
  })),
  often('short texts with such states', "self.texts[b].matches('[ab]*a[ab]{20}[cd]')", () => ({
    texts: thousand.map((at) => random(60, at)),
  })),
  often('a place in such a text', "self.text.find('([ab]{1,30}a){1,10}[cd]') == ''", () => ({
    text: random(20_000),
  })),
  often('a pattern on a short text', "'aaaaaaaaaaaaaaa'.find('(a?){20}(a*)*b') != ''"),
  often('many matches', "'aaaaaaa'.findAll('a').size() > 0"),
  {
    name: 'a new pattern each time',
    source: "self.texts.all(p, !'x'.matches(p + '(a|b|c|d){50}'))",
    self: () => ({ texts: texts(10_000) }),
  },
  often('a pattern of 500 KB', "'x'.matches(self.text)", () => ({ text: '(a|b)'.repeat(100_000) })),
]

/** Loops in loops, and values that are made anew in each turn. */
const macros: readonly WorstCase[] = [
  { name: 'macros 245 deep', source: nest(245), self: () => ({ list: thousand }) },
  {
    name: 'maps of maps',
    source: 'self.list.map(a, self.list.map(b, self.list.map(c, a + b))).size() > 0',
    self: () => ({ list: thousand }),
  },
  often('errors that are absorbed', 'dyn(b).x == 1 || true'),
  often('keys of a large map', 'self.map.exists(k, true)', () => ({ map: entries(100_000) })),
  often('entries of map literals', `{${texts(200).map((key) => `'${key}': b`)}}.size() > 0`),
  often('items of list literals', `[${thousand}].size() > 0`),
  often(
    'lists joined 100 times',
    `(${Array(100).fill('self.list').join('+')}).exists(c, c == 999)`,
  ),
]

/** Functions whose work follows the length of a text and not the number of calls. */
const onText: readonly WorstCase[] = [
  often('joined strings', '(self.text + self.text).size() > 0', () => ({ text: a(200_000) })),
  often('equal strings', '[self.text] == [self.other]', () => ({
    text: a(2_000_000),
    other: a(2_000_000),
  })),
  often('a part that nearly fits', 'self.text.lastIndexOf(self.part) < 0', () => ({
    text: a(1_000_000),
    part: `${a(500_000)}b`,
  })),
  often('replaced letters', "self.text.replace('a', 'bcd').size() > 0", () => ({
    text: a(100_000),
  })),
  often('letters one by one', "self.text.split('').size() > 0", () => ({ text: a(100_000) })),
  often('quoted line breaks', "strings.quote(self.text) != ''", () => ({
    text: '\n'.repeat(1000),
  })),
  often('letters beyond the plane', "self.text.substring(1, 2) != ''", () => ({
    text: '\u{1f600}'.repeat(1000),
  })),
  often('format of many clauses', 'self.text.format([]).size() > 0', () => ({
    text: '%%'.repeat(100_000),
  })),
  often('format of a thousand digits', "'%.1000f'.format([5e-324]).size() > 1"),
  often('format of a map', "'%s'.format([self.map]).size() > 1", () => ({ map: entries(10_000) })),
]

/** Functions that parse or compare: their cost must not be charged as one call. */
const libraries: readonly WorstCase[] = [
  often('order of a list', 'self.texts.isSorted() || true', () => ({ texts: texts(100_000) })),
  often('order of empty texts', 'self.texts.isSorted()', () => ({
    texts: Array(100_000).fill(''),
  })),
  often('deep lists in a list', '!(self.list in self.deep)', () => ({
    deep: thousand.map((at) => [...thousand.slice(1), at]),
  })),
  often('quantities', "quantity('12345.678Mi').add(quantity('1e18')).asApproximateFloat() > 0.0"),
  often('URLs', "url('http://a:80/d%20e?x=y&z=w').getQuery().size() > 0"),
  often('a host of 500 KB', "url('http://' + self.text + '/').getHostname() != ''", () => ({
    text: a(500_000),
  })),
  {
    name: 'names that are no time zones',
    source: "self.texts.all(z, timestamp('2020-01-01T00:00:00Z').getHours(z) > 0 || true)",
    self: () => ({ texts: texts(100_000) }),
  },
  often('a time zone', "timestamp('2020-01-01T00:00:00Z').getHours('America/New_York') > 0"),
  often('times as text', "string(timestamp('2020-01-01T00:00:00.5Z')) != ''"),
  often('numbers as text', 'double(self.text) > 0.0 || true', () => ({
    text: '1'.repeat(100_000),
  })),
]

/** Values that a schema makes: read from JSON when they are touched, and once only. */
const typedCases: readonly WorstCase[] = [
  typedOften(
    'a field of times',
    'self.x == self.x',
    { type: 'array', items: { ...text, format: 'date-time' } },
    () => Array(10_000).fill('2024-01-01T00:00:00.123Z'),
  ),
  typedOften('a field of bytes', 'self.x.size() > 0', { ...text, format: 'byte' }, () =>
    Buffer.alloc(1_500_000).toString('base64'),
  ),
  typedOften('sets of long texts', 'self.x == self.x', set, () => [a(2_000_000)]),
  typedOften('sums of sets', '(self.x + self.x).size() > 0', set, () => texts(10_000)),
]

/** All of them. */
export const worstCases: readonly WorstCase[] = [
  ...patterns,
  ...macros,
  ...onText,
  ...libraries,
  ...typedCases,
]

/** A source that is slow to compile. */
export interface WorstSource {
  readonly name: string
  readonly source: string
}

/** In characters. */
const longestSource = 100_000

/** As many parts as a source may hold, joined by `between`. */
function filled(name: string, part: (at: number) => string, between = '||', ends = ['', '']) {
  const [open = '', close = ''] = ends
  let source = open + part(0)
  for (let at = 1; ; at++) {
    const next = between + part(at)
    if (source.length + next.length + close.length > longestSource) break
    source += next
  }
  return { name, source: source + close }
}

/** Each step doubles the type of the one before. */
const doubled = Array.from({ length: 100 }, (_, at) => `.map(v${at}, {v${at}: v${at}})`)

/** Sources that compile, or do not, after much work. */
export const worstSources: readonly WorstSource[] = [
  filled('many comparisons', () => '1==1'),
  filled('many unknown names', () => 'x'),
  filled('many patterns', (at) => `'a'.matches('a{1,1000}${at}')`),
  filled('many patterns to find', (at) => `'a'.find('a{1,1000}b${at}')==''`),
  filled('many lists of anything', () => '[]', ',', ['[', '].size()==0']),
  filled('many deep lists', () => '['.repeat(200) + ']'.repeat(200), ',', ['[', '].size()==0']),
  { name: 'a type that doubles', source: `[1]${doubled.join('')}.size() == 1` },
]

/** Compiles a source and estimates its worst case, as those do who accept one. */
export function compileWorst({ source }: WorstSource): Compilation {
  const compiled = compile(source, dynamic)
  if (compiled.ok) invariant(compiled.program.estimate.max > 0, 'an expression costs something')
  return compiled
}
