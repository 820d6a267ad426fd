import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readSchema, schemaOf } from '../../../../runtime/cel/schema/json-schema.ts'
import { compileRules, type SchemaRules } from '../../../../runtime/cel/validation/schema-rules.ts'
import type { RuleTable } from '../../../../runtime/kernel/descriptors/validation-rules.ts'
import type { JsonObject } from '../../../../runtime/kernel/values/json.ts'
import { outcomeOf } from '../../../support/expressions.ts'

const test = suite('runtime/cel/rules')

const path = 'spec.validation.openAPIV3Schema'

function rules(schema: JsonObject, optionalOldSelf = false, formsChecked = false): SchemaRules {
  const node = readSchema({ type: 'object', ...schema }, { prefixes: ['orch'] })
  return compileRules(node, path, { extension: 'orch', optionalOldSelf, formsChecked })
}

/** Rules that must compile. */
function sound(schema: JsonObject, optionalOldSelf = false): SchemaRules {
  const found = rules(schema, optionalOldSelf)
  assert.equal(found.findings, [])
  return found
}

function rule(...texts: readonly (string | JsonObject)[]): JsonObject {
  const list = texts.map((text) => (typeof text === 'string' ? { rule: text } : text))
  return { 'x-orch-validations': list }
}

const int: JsonObject = { type: 'integer' }
const text: JsonObject = { type: 'string', maxLength: 20 }
const spec = (properties: JsonObject, ...texts: readonly (string | JsonObject)[]): JsonObject => ({
  properties: { spec: { type: 'object', properties, ...rule(...texts) } },
})

test('C-13 a rule that does not hold is a finding at its node, with its message', () => {
  const cases: readonly (readonly [string | JsonObject, object])[] = [
    [
      'self.a < self.b',
      {
        path: 'spec',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "object": failed rule: self.a < self.b',
      },
    ],
    [
      { rule: 'self.a < self.b', message: ' a must be less ' },
      {
        path: 'spec',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "object": a must be less',
      },
    ],
    [
      { rule: 'self.a < self.b', messageExpression: "'a is %d'.format([self.a])" },
      { path: 'spec', reason: 'FieldValueInvalid', message: 'Invalid value: "object": a is 5' },
    ],
    [
      { rule: 'self.a < self.b', message: 'plain', messageExpression: "'a\\nb'" },
      { path: 'spec', reason: 'FieldValueInvalid', message: 'Invalid value: "object": plain' },
    ],
    [
      { rule: 'self.a < self.b', message: 'plain', messageExpression: "'  '" },
      { path: 'spec', reason: 'FieldValueInvalid', message: 'Invalid value: "object": plain' },
    ],
    [
      { rule: 'self.a < self.b', reason: 'FieldValueForbidden', fieldPath: '.a' },
      {
        path: 'spec.a',
        reason: 'FieldValueForbidden',
        message: 'Forbidden: failed rule: self.a < self.b',
      },
    ],
    [
      { rule: 'self.a < self.b', reason: 'FieldValueRequired', fieldPath: ".m['x.y']" },
      {
        path: 'spec.m[x.y]',
        reason: 'FieldValueRequired',
        message: 'Required value: failed rule: self.a < self.b',
      },
    ],
    [
      { rule: 'self.a < self.b', reason: 'FieldValueDuplicate', fieldPath: "['a']" },
      { path: 'spec.a', reason: 'FieldValueDuplicate', message: 'Duplicate value: "object"' },
    ],
  ]
  const m = { type: 'object', additionalProperties: text }
  for (const [one, finding] of cases) {
    const found = sound(spec({ a: int, b: int, m }, one))
    assert.equal(found.validate({ spec: { a: 5, b: 3 } }), [finding])
    assert.equal(found.validate({ spec: { a: 1, b: 3 } }), [])
  }
})

test('every node with a rule is visited: properties, members of maps, items', () => {
  const found = sound({
    properties: {
      list: { type: 'array', maxItems: 5, items: { ...int, ...rule('self > 0') } },
      map: {
        type: 'object',
        maxProperties: 5,
        additionalProperties: { ...text, ...rule("self.startsWith('x')") },
      },
    },
    ...rule('has(self.list)'),
  })
  const paths = (value: unknown) => found.validate(value).map((one) => one.path)
  assert.equal(paths({ list: [1, 0, 2], map: { a: 'x', b: 'y' } }), ['list[1]', 'map[b]'])
  assert.equal(paths({}), [''])
  assert.is(
    found.validate({ list: [0] })[0]?.message,
    'Invalid value: "integer": failed rule: self > 0',
  )
})

test('Y-06 an error when a rule runs is a finding with the text of the error', () => {
  const properties = {
    a: int,
    either: { 'x-orch-int-or-string': true, maxLength: 10 },
    list: { type: 'array', maxItems: 3, items: int },
  }
  const cases: readonly (readonly [string, string])[] = [
    [
      '1 / self.a == 1',
      'Invalid value: "object": division by zero evaluating rule: 1 / self.a == 1',
    ],
    [
      'self.list[5] == 1',
      'Invalid value: "object": index out of bounds: 5 evaluating rule: self.list[5] == 1',
    ],
    [
      'self.either > 5',
      'Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.either > 5',
    ],
  ]
  for (const [one, message] of cases) {
    const found = sound(spec(properties, one))
    const [finding] = found.validate({ spec: { a: 0, either: 'x', list: [1] } })
    assert.is(finding?.message, message)
  }
})

test('C-14 a transition rule runs only where there is an old value to compare with', () => {
  const item = {
    type: 'object',
    required: ['name'],
    properties: { name: text, size: { ...int, ...rule('self >= oldSelf') } },
  }
  const found = sound({
    properties: {
      fixed: { ...text, ...rule('self == oldSelf') },
      items: {
        type: 'array',
        maxItems: 5,
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['name'],
        items: item,
      },
    },
  })
  const paths = (now: unknown, old?: unknown) => found.validate(now, old).map((one) => one.path)
  assert.equal(paths({ fixed: 'a', items: [{ name: 'x', size: 1 }] }), [])
  assert.equal(paths({ fixed: 'a' }, { fixed: 'b' }), ['fixed'])
  assert.equal(paths({ fixed: 'a' }, {}), [])
  const old = {
    items: [
      { name: 'x', size: 2 },
      { name: 'y', size: 2 },
    ],
  }
  const now = {
    items: [
      { name: 'y', size: 1 },
      { name: 'z', size: 0 },
      { name: 'x', size: 3 },
    ],
  }
  assert.equal(paths(now, old), ['items[0].size'])
})

test('C-14 a transition rule below a list that cannot be matched is refused', () => {
  const list = { type: 'array', maxItems: 5, items: { ...int, ...rule('self == oldSelf') } }
  for (const extra of [{}, { 'x-orch-list-type': 'set' }, { 'x-orch-list-type': 'atomic' }]) {
    const { findings } = rules({ properties: { list: { ...list, ...extra } } })
    assert.equal(findings, [
      {
        path: `${path}.properties[list].items.x-orch-validations[0].rule`,
        reason: 'FieldValueInvalid',
        message: `Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${path}.properties[list]`,
      },
    ])
  }
  const atomic = {
    type: 'object',
    'x-orch-map-type': 'atomic',
    properties: { a: { ...int, ...rule('self == oldSelf') } },
  }
  assert.equal(
    rules({ properties: { atomic } }).findings,
    [],
    'an atomic map is matched by its keys',
  )
})

test('C-13 with the gate, a rule with an optional old value runs on create, too', () => {
  const one = { rule: '!oldSelf.hasValue() || self >= oldSelf.value()', optionalOldSelf: true }
  const none = { rule: 'oldSelf.hasValue()', optionalOldSelf: true }
  const schema = { properties: { a: { ...int, ...rule(one, none) } } }
  const paths = (found: SchemaRules, now: unknown, old?: unknown) =>
    found.validate(now, old).map(({ message }) => message)
  const on = sound(schema, true)
  const failed = (text: string) => `Invalid value: "integer": failed rule: ${text}`
  assert.equal(paths(on, { a: 1 }), [failed(none.rule)])
  assert.equal(paths(on, { a: 1 }, { a: 2 }), [failed(one.rule)])
  assert.equal(paths(sound(schema), { a: 1 }), [])
})

function ratcheting(schema: JsonObject): SchemaRules {
  const node = readSchema({ type: 'object', ...schema }, { prefixes: ['orch'] })
  return compileRules(node, path, { extension: 'orch', ratcheting: true, costChecked: true })
}

test('C-13 where values ratchet, what is as it was may stay wrong, but rules about changes run', () => {
  const found = ratcheting(spec({ a: int, b: int }, 'self.a > 0', 'self.a != oldSelf.a'))
  const broken = (now: object, old?: object) =>
    found.validate({ spec: now }, old && { spec: old }).map(({ message }) => message)
  const [positive, changed] = ['self.a > 0', 'self.a != oldSelf.a'].map(
    (text) => `Invalid value: "object": failed rule: ${text}`,
  )
  assert.equal(broken({ a: 0 }), [positive])
  assert.equal(broken({ a: 0 }, { a: 0 }), [changed])
  assert.equal(broken({ a: 0, b: 1 }, { a: 0 }), [positive, changed])
})

test('whether a part is as it was is found out once for all its rules', () => {
  const texts = Array.from({ length: 300 }, (_, at) => `self.size() > ${at - 300}`)
  const map = { type: 'object', additionalProperties: int, ...rule(...texts) }
  const found = ratcheting({ properties: { map } })
  let reads = 0
  const counted = {
    get k() {
      reads++
      return 1
    },
  }
  assert.equal(found.validate({ map: { k: 1 } }, { map: counted }), [])
  assert.ok(reads > 0 && reads < 10, `${reads} reads`)
})

test('C-13 what is wrong with rules is found all at once', () => {
  const { findings } = rules(
    spec(
      { a: int },
      { rule: ' ' },
      { rule: 'true', message: ' ' },
      { rule: 'true', message: 'a\nb' },
      { rule: 'true\n&& true' },
      { rule: 'true', messageExpression: ' ' },
      { rule: 'true', reason: 'Nope' },
      { rule: 'true', fieldPath: '.nope' },
      { rule: 'true', fieldPath: '.a[0]' },
    ),
  )
  const at = (tail: string) => `${path}.properties[spec].x-orch-validations${tail}`
  assert.equal(
    findings.map((one) => [one.path, one.message]),
    [
      [at('[0].rule'), 'Required value: rule is not specified'],
      [at('[1].message'), 'Invalid value: " ": message must be non-empty if specified'],
      [at('[2].message'), 'Invalid value: "a\\nb": message must not contain line breaks'],
      [at('[3].message'), 'Required value: message must be specified if rule contains line breaks'],
      [
        at('[4].messageExpression'),
        'Required value: messageExpression must be non-empty if specified',
      ],
      [
        at('[5].reason'),
        'Unsupported value: "Nope": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      ],
      [at('[6].fieldPath'), 'Invalid value: ".nope": fieldPath must be a valid path'],
      [at('[7].fieldPath'), 'Invalid value: ".a[0]": fieldPath must be a valid path'],
    ],
  )
})

test('Y-06 a rule that does not compile is a finding with the place', () => {
  const cases: readonly (readonly [string | JsonObject, RegExp])[] = [
    ['self.b == 1', /compilation failed: ERROR: <input>:1:5: undefined field 'b'/],
    ['self.a == "x"', /compilation failed: .*found no matching overload for '_==_'/s],
    ['has(self.b)', /compilation failed: ERROR: <input>:1:4: undefined field 'b'/],
    ['[1].existsOne(x, x == 1)', /undeclared reference to 'existsOne'/],
    [
      "[self.a || true, 'x'].size() == 2",
      /^[^\n]*expected type 'bool' but found 'int'\n[^\n]*\n[^\n]*$/,
    ],
    ["[1, 'x'].size() == 2", /expected type 'int' but found 'string'/],
    ['self.a', /cel expression must evaluate to a bool/],
    [
      "timestamp('a') - timestamp('2024-01-01T00:00:00Z') == duration('a')",
      /program instantiation failed: type conversion error from 'string' to 'google.protobuf.Timestamp'/,
    ],
    ['self.a ==', /compilation failed: .*Syntax error/s],
    [{ rule: 'true', messageExpression: '5' }, /messageExpression must evaluate to a string/],
    [{ rule: 'true', messageExpression: '(' }, /messageExpression compilation failed/],
    [
      { rule: 'true', optionalOldSelf: true },
      /Invalid value: true: may not be set if oldSelf is not used in rule/,
    ],
  ]
  for (const [one, message] of cases) {
    const { findings } = rules(spec({ a: int }, one))
    assert.is(findings.length, 1, JSON.stringify(one))
    assert.match(findings[0]!.message, message)
  }
})

test('a message of spaces alone, which another check refuses, says nothing', () => {
  const compiled = rules(spec({ a: int }, { rule: 'false', message: ' ' }), false, true)
  const [finding] = compiled.validate({ spec: {} })
  assert.is(finding?.message, 'Invalid value: "object"')
})

test('an integer has a conversion to a duration by its type alone', () => {
  const sounded = sound(spec({ a: int }, 'duration(self.a).getSeconds() == 0'))
  const [finding] = sounded.validate({ spec: { a: 1 } })
  assert.match(finding?.message ?? '', /type conversion error from 'int' to/)
})

test('A2.54, Y-07 what is preserved without a schema cannot be named, but a change of it is seen', () => {
  const preserved = { type: 'object', 'x-orch-preserve-unknown-fields': true }
  const { findings } = rules({ properties: { p: { ...preserved, ...rule('self.x == 1') } } })
  assert.match(findings[0]!.message, /undefined field 'x'/)
  const same = sound({ properties: { p: { ...preserved, ...rule('self == oldSelf') } } })
  assert.is(same.validate({ p: { x: { y: [1] } } }, { p: { x: { y: [1] } } }).length, 0)
  assert.is(same.validate({ p: { x: { y: [1] } } }, { p: { x: { y: [2] } } }).length, 1)
})

test('A2.73, C-15 a rule whose worst case is too expensive is refused with the factor', () => {
  const one = 'self.all(x, self.all(y, x != y || x == y))'
  const unbounded = { properties: { l: { type: 'array', items: int, ...rule(one) } } }
  const { findings } = rules(unbounded)
  const at = `${path}.properties[l].x-orch-validations[0].rule`
  const advice =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
  assert.equal(findings, [
    {
      path: at,
      reason: 'FieldValueForbidden',
      message: `Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${advice}`,
    },
    {
      path: at,
      reason: 'FieldValueForbidden',
      message:
        'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
    },
    {
      path,
      reason: 'FieldValueForbidden',
      message: `Forbidden: x-orch-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${advice}`,
    },
  ])
  sound({ properties: { l: { type: 'array', maxItems: 100, items: int, ...rule(one) } } })
})

test('C-15 the number of places multiplies what a rule can cost', () => {
  const leaf = { ...text, ...rule("self.matches('^a+$')") }
  const inner = (bounds: JsonObject) => ({ type: 'array', items: leaf, ...bounds })
  const outer = (bounds: JsonObject) => ({
    properties: { l: { type: 'array', maxItems: 1000, items: inner(bounds) } },
  })
  const small = sound(outer({ maxItems: 10 }))
  const large = rules(outer({ maxItems: 5000 }))
  assert.is(large.cost, small.cost * 500)
  assert.match(
    large.findings[0]!.message,
    /estimated rule cost exceeds budget by factor of [0-9.]+x/,
  )
})

test('C-15 when the budget of an object is spent, one finding says so and nothing runs after it', () => {
  const walk = 'self.all(x, self.all(y, x == x && y == y))'
  const list = { type: 'array', maxItems: 300, items: int, ...rule(walk, walk, 'false') }
  const found = rules({ properties: { list } })
  const value = { list: Array.from({ length: 300 }, (_, index) => index) }
  const spent = { remaining: 600_000 }
  assert.equal(
    found.validate(value, undefined, spent).map((one) => one.message),
    [
      'Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ],
  )
})

test('A2.73 one evaluation has a limit of its own', () => {
  const walk = 'self.all(x, self.all(y, x == x && y == y))'
  const list = { type: 'array', items: int, ...rule(walk, 'false') }
  const value = { list: Array.from({ length: 2000 }, (_, index) => index) }
  const [finding, ...more] = rules({ properties: { list } }).validate(value)
  assert.equal(more, [])
  assert.is(
    finding?.message,
    `Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${walk}`,
  )
})

test('A2.53 the root shows name and kind, and escaped names reach their property', () => {
  const found = sound({
    properties: { 'a-b': int, in: int },
    ...rule("self.metadata.name == 'x' && self.kind == 'K'", 'self.a__dash__b == self.__in__'),
  })
  const object = { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'x' }, 'a-b': 1, in: 1 }
  assert.equal(found.validate(object), [])
  assert.is(found.validate({ ...object, in: 2 }).length, 1)
  assert.match(
    rules(rule("self.metadata.labels['a'] == 'b'")).findings[0]!.message,
    /undefined field 'labels'/,
  )
})

const names = (...list: readonly string[]) => list.map((name) => ({ name, v: name.length }))

test('A2.56, A2.66, Y-08 sets and maps ignore order and concatenate by identity', () => {
  const set = { type: 'array', maxItems: 9, items: text, 'x-orch-list-type': 'set' }
  const item = { type: 'object', properties: { name: text, v: int }, required: ['name'] }
  const map = {
    type: 'array',
    maxItems: 9,
    items: item,
    'x-orch-list-type': 'map',
    'x-orch-list-map-keys': ['name'],
  }
  const plain = { type: 'array', maxItems: 9, items: text }
  const same = rule('self == oldSelf')
  const found = sound({
    properties: {
      set: { ...set, ...same },
      map: { ...map, ...same },
      plain: { ...plain, ...same },
      sum: {
        type: 'object',
        properties: { a: set, b: set, ab: plain, x: map },
        ...rule(
          'self.a + self.b == self.ab && (self.a + self.b).size() == 3',
          "(self.a + self.b).map(i, i) == ['x', 'y', 'z']",
          "(oldSelf.x + self.x).map(i, i.name) == ['b', 'a', 'c']",
          "(self.x + oldSelf.x).map(i, i.name) == ['c', 'b', 'a']",
          '(oldSelf.x + self.x)[0].v == 7 && (self.x + oldSelf.x)[1].v == 1',
        ),
      },
    },
  })
  const paths = (now: unknown, old: unknown) => found.validate(now, old).map((one) => one.path)
  assert.equal(paths({ set: ['a', 'b'] }, { set: ['b', 'a'] }), [])
  assert.equal(paths({ set: ['a', 'b'] }, { set: ['b', 'c'] }), ['set'])
  assert.equal(paths({ plain: ['a', 'b'] }, { plain: ['b', 'a'] }), ['plain'])
  assert.equal(paths({ map: names('a', 'bb') }, { map: names('bb', 'a') }), [])
  assert.equal(paths({ map: [{ name: 'a', v: 1 }] }, { map: [{ name: 'a', v: 2 }] }), ['map'])
  const old = {
    x: [
      { name: 'b', v: 1 },
      { name: 'a', v: 1 },
    ],
  }
  const sum = {
    a: ['x', 'y'],
    b: ['z', 'x'],
    ab: ['x', 'y', 'z'],
    x: [
      { name: 'c', v: 3 },
      { name: 'b', v: 7 },
    ],
  }
  assert.equal(found.validate({ sum }, { sum: old }), [])
})

test('A2.57 to A2.65 a rule sees values of the type that the schema gives', () => {
  const properties = {
    flag: { type: 'boolean' },
    ratio: { type: 'number' },
    count: { type: 'integer', format: 'int64' },
    either: { 'x-orch-int-or-string': true },
    data: { type: 'string', format: 'byte', maxLength: 100 },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    span: { type: 'string', format: 'duration' },
    maybe: { type: 'string', nullable: true, maxLength: 5 },
  }
  const found = sound(
    spec(
      properties,
      'self.flag',
      'self.ratio == 1.0 && type(self.ratio) == double',
      'self.count == 9007199254740993',
      "type(self.either) == int ? self.either < 5 : self.either.matches('^[0-9]+%$')",
      "self.data == b'hi'",
      'self.day.getFullYear() == 2024',
      "self.at - self.day == duration('1h')",
      "self.span == duration('90m')",
      '!has(self.maybe)',
    ),
  )
  const value = {
    flag: true,
    ratio: 1,
    count: 9007199254740993n,
    either: 3,
    data: 'aGk=',
    day: '2024-05-01',
    at: '2024-05-01T01:00:00Z',
    span: '1h30m',
    maybe: null,
  }
  assert.equal(found.validate({ spec: value }), [])
  assert.equal(found.validate({ spec: { ...value, either: '10%' } }), [])
})

test('A2.43, A2.44, A2.49 a rule is checked in full; on a dynamic variable, what is unknown passes until it runs', () => {
  const { findings } = rules(spec({ a: int }, 'self.nope == 1'))
  assert.match(findings[0]!.message, /undefined field 'nope'/)
  assert.equal(outcomeOf('object.nope == 1', { object: { a: 1 } }), { error: 'no such key: nope' })
  assert.is(outcomeOf('has(object.nope) || object.a == 1', { object: { a: 1 } }), true)
})

test('A2.50, A2.60, A2.61 no schema gives a uint; null is what a nullable item can be', () => {
  const list = { type: 'array', maxItems: 5, items: { ...text, nullable: true } }
  const found = sound(
    spec({ n: int, list }, 'uint(self.n) == 5u', 'self.list.exists(x, type(x) == null_type)'),
  )
  assert.equal(found.validate({ spec: { n: 5, list: ['a', null] } }), [])
  assert.is(found.validate({ spec: { n: 5, list: ['a'] } }).length, 1)
})

test('a name that every object has is no field', () => {
  const { findings } = rules(spec({ a: int }, 'has(self.constructor)'))
  assert.match(findings[0]!.message, /undefined field 'constructor'/)
  const map = { type: 'object', maxProperties: 5, additionalProperties: text }
  const found = sound({ properties: { map: { ...map, ...rule("!('constructor' in self)") } } })
  assert.equal(found.validate({ map: { a: 'b' } }), [])
  const own = JSON.parse('{"map":{"__proto__":"x"}}')
  const proto = sound({ properties: { map: { ...map, ...rule("self['__proto__'] == 'x'") } } })
  assert.equal(proto.validate(own), [])
})

test('a schema without rules is empty', () => {
  assert.ok(rules(spec({ a: int })).isEmpty)
  assert.equal(rules(spec({ a: int })).validate({ spec: { a: 1 } }), [])
})

const tree: RuleTable = {
  root: 'demo.Tree',
  schemas: {
    'demo.Tree': () => ({
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 9 },
        best: { $ref: 'demo.Tree', ...rule("self.name != 'b'") },
        parts: { type: 'array', maxItems: 2, items: { $ref: 'demo.Tree' } },
      },
      ...rule("self.name != 'a'"),
    }),
  },
}

test('a schema inside itself is compiled as far as it differs, with the rules beside references', () => {
  const compiled = compileRules(schemaOf(tree), '', { extension: 'orch', notResource: true })
  assert.equal(compiled.problems, [])
  const of = (name: string, more = {}) => ({ name, ...more })
  const object = of('x', {
    best: of('b', { best: of('a') }),
    parts: [of('a'), of('b', { parts: [of('a', { best: of('b') })] })],
  })
  const told = compiled.violations(object).map(({ path, message }) => `${path}: ${message}`)
  assert.equal(told, [
    "best: failed rule: self.name != 'b'",
    "best.best: failed rule: self.name != 'a'",
    "parts[0]: failed rule: self.name != 'a'",
    "parts[1].parts[0]: failed rule: self.name != 'a'",
    "parts[1].parts[0].best: failed rule: self.name != 'b'",
  ])
})

test('a breach says which fields the rule looks at, from the root', () => {
  const options = { extension: 'orch', notResource: true, costChecked: true } as const
  const schema = spec({ a: int, b: int }, 'self.a < self.b')
  const node = readSchema({ type: 'object', ...schema }, { prefixes: ['orch'] })
  const { violations: breaches, cost } = compileRules(node, '', options)
  assert.equal(breaches({ spec: { a: 2, b: 1 } }), [
    {
      path: 'spec',
      at: 'spec',
      reads: ['spec.a', 'spec.b'],
      reason: undefined,
      message: 'failed rule: self.a < self.b',
      type: 'object',
      value: { a: 2, b: 1 },
      failed: false,
    },
  ])
  assert.is(cost, 0)
})

test('a thorough look finds what is wrong beside what is not well formed', () => {
  const schema = spec({ a: int }, ' ', { rule: 'self.b', messageExpression: 'self.c' })
  const node = readSchema({ type: 'object', ...schema }, { prefixes: ['orch'] })
  const told = (thorough: boolean) =>
    compileRules(node, '', { extension: 'orch', compileAll: thorough }).problems.map(
      ({ part, is, issues }) => `${part} ${is} ${issues?.map(({ names }) => names) ?? ''}`,
    )
  assert.equal(told(false), ['rule form '])
  assert.equal(told(true), ['rule form ', 'rule type a', 'messageExpression type a'])
})

test.run()
