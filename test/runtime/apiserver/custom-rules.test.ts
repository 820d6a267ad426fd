/** Rules of definitions over real HTTP: what they find in objects, and which of them are never accepted. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  defaultEnabledGates,
  ratchetingGate,
} from '../../../runtime/kernel/descriptors/enabled-gates.ts'
import {
  type CustomServer,
  definition,
  definitionsPath,
  startCustom,
} from '../../support/custom.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: rules of definitions')

let custom: CustomServer
test.before(async () => {
  custom = await startCustom()
})
test.after(() => custom.stop())

const objects = (kind: string): string =>
  `/apis/example.com/v1/namespaces/default/${kind.toLowerCase()}s`

const root = 'spec.validation.openAPIV3Schema'
const specPlace = `${root}.properties[spec]`

/** A schema whose spec has some properties and rules. */
function schemaOf(properties: object, rules: readonly object[], more: object = {}): object {
  const spec = { type: 'object', properties, 'x-orch-validations': rules }
  return { type: 'object', properties: { spec }, ...more }
}

/** The causes of a refusal, as `field: message`. */
async function causes(method: string, path: string, body: object): Promise<readonly string[]> {
  const { status, json, text } = await custom.ask(method, path, body)
  assert.is(status, 422, text)
  return json.details.causes.map(
    ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
  )
}

function refused(schema: object): Promise<readonly string[]> {
  return causes('POST', definitionsPath, definition('Refused', schema))
}

function creating(kind: string, spec: object, name = 'a'): Promise<readonly string[]> {
  return causes('POST', objects(kind), { metadata: { name }, spec })
}

const range = {
  min: { type: 'integer' },
  max: { type: 'integer' },
  name: { type: 'string', maxLength: 64 },
}

test('a broken rule is told at its node, with its message or the rule itself (C-13, A2.43)', async () => {
  const rules = [
    { rule: 'self.min <= self.max', message: 'min is at most max' },
    { rule: 'self.max < 100' },
    { rule: 'self.min >= 0', messageExpression: '"min is " + (self.min < 0 ? "negative" : "not")' },
    { rule: 'has(self.name)', reason: 'FieldValueRequired', fieldPath: '.name', message: 'say it' },
    { rule: 'self.max != 200', reason: 'FieldValueForbidden', fieldPath: '.max', message: 'no' },
    { rule: '200 != self.max', reason: 'FieldValueDuplicate', fieldPath: '.max' },
  ]
  await custom.define(definition('Range', schemaOf(range, rules)))
  assert.equal(await creating('Range', { min: -5, max: -6 }), [
    'spec: Invalid value: "object": min is at most max',
    'spec: Invalid value: "object": min is negative',
    'spec.name: Required value: say it',
  ])
  assert.equal(await creating('Range', { min: 1, max: 200, name: 'a' }), [
    'spec: Invalid value: "object": failed rule: self.max < 100',
    'spec.max: Forbidden: no',
    'spec.max: Duplicate value: "object"',
  ])
  const made = await custom.ask('POST', objects('Range'), {
    metadata: { name: 'good' },
    spec: { min: 1, max: 2, name: 'x' },
  })
  assert.is(made.status, 201, made.text)
})

test('rules run in lists and maps, and name the item (C-13)', async () => {
  const port = {
    type: 'object',
    properties: { low: { type: 'integer' }, high: { type: 'integer' } },
    'x-orch-validations': [{ rule: 'self.low <= self.high', message: 'low is above high' }],
  }
  const properties = {
    ports: { type: 'array', maxItems: 10, items: port },
    named: { type: 'object', maxProperties: 10, additionalProperties: port },
  }
  await custom.define(definition('Deep', schemaOf(properties, [])))
  const spec = {
    ports: [
      { low: 1, high: 2 },
      { low: 3, high: 2 },
    ],
    named: { x: { low: 2, high: 1 } },
  }
  assert.equal(await creating('Deep', spec), [
    'spec.named[x]: Invalid value: "object": low is above high',
    'spec.ports[1]: Invalid value: "object": low is above high',
  ])
})

test('rules see a name at the root, and nothing else of the metadata (A2.53, C-13)', async () => {
  const rules = [{ rule: 'self.metadata.name.startsWith("a-")', message: 'begin with a-' }]
  await custom.define(definition('Named', { type: 'object', 'x-orch-validations': rules }))
  const refusal = await causes('POST', objects('Named'), { metadata: { name: 'b' } })
  assert.equal(refusal, ['<nil>: Invalid value: "object": begin with a-'])
  assert.is((await custom.ask('POST', objects('Named'), { metadata: { name: 'a-b' } })).status, 201)
  const [told] = await refused({
    type: 'object',
    'x-orch-validations': [{ rule: 'self.metadata.namespace == "x"' }],
  })
  assert.match(told ?? '', "undefined field 'namespace'")
})

test('a mistake in a rule is shown with a caret under its place (A2.49, C-13)', async () => {
  assert.equal(await refused(schemaOf(range, [{ rule: 'self.min < self.mix' }])), [
    `${specPlace}.x-orch-validations[0].rule: Invalid value: {"rule":"self.min < self.mix"}: compilation failed: ERROR: <input>:1:16: undefined field 'mix'\n | self.min < self.mix\n | ...............^`,
  ])
  assert.equal(await refused(schemaOf(range, [{ rule: 'self.name < 5' }, { rule: 'self.min' }])), [
    `${specPlace}.x-orch-validations[0].rule: Invalid value: {"rule":"self.name < 5"}: compilation failed: ERROR: <input>:1:11: found no matching overload for '_<_' applied to '(string, int)'\n | self.name < 5\n | ..........^`,
    `${specPlace}.x-orch-validations[1].rule: Invalid value: {"rule":"self.min"}: cel expression must evaluate to a bool`,
  ])
  const [syntax] = await refused(schemaOf(range, [{ rule: 'self.min <' }]))
  assert.match(syntax ?? '', 'compilation failed: ERROR: <input>:1:11: Syntax error:')
})

const wrong: readonly (readonly [string, object, readonly string[]])[] = [
  ['no rule', { rule: '' }, ['.rule: Required value: rule is not specified']],
  [
    'an empty message',
    { rule: 'true', message: ' ' },
    ['.message: Invalid value: " ": message must be non-empty if specified'],
  ],
  [
    'a message of two lines',
    { rule: 'true', message: 'a\nb' },
    ['.message: Invalid value: "a\\nb": message must not contain line breaks'],
  ],
  [
    'two lines without a message',
    { rule: 'true ||\nfalse' },
    ['.message: Required value: message must be specified if rule contains line breaks'],
  ],
  [
    'a message that is no text',
    { rule: 'true', messageExpression: '5' },
    [
      '.messageExpression: Invalid value: {"rule":"true","messageExpression":"5"}: messageExpression must evaluate to a string',
    ],
  ],
  [
    'a path that leads nowhere',
    { rule: 'true', fieldPath: '.other' },
    ['.fieldPath: Invalid value: ".other": fieldPath must be a valid path'],
  ],
]

test('functions that the release before did not know are refused in new rules', async () => {
  const rule = { rule: "'%d'.format([self.min]) != '7' || sets.contains([self.min], [self.max])" }
  const [cause] = await refused(schemaOf(range, [rule]))
  assert.match(cause ?? '', "undeclared reference to 'format' (in container '')")
  assert.match(cause ?? '', "undeclared reference to 'sets' (in container '')")
})

for (const [name, rule, texts] of wrong) {
  test(`refused: ${name} (C-13)`, async () => {
    const place = `${specPlace}.x-orch-validations[0]`
    assert.equal(
      await refused(schemaOf(range, [rule])),
      texts.map((text) => `${place}${text}`),
    )
  })
}

test('an unknown reason is refused by the schema of definitions (C-13)', async () => {
  const [told] = await refused(schemaOf(range, [{ rule: 'true', reason: 'Sunday' }]))
  assert.match(told ?? '', 'Unsupported value: "Sunday"')
})

test('a transition rule runs where there is an old value (C-14)', async () => {
  const fixed = { rule: 'self.name == oldSelf.name', message: 'name stays' }
  await custom.define(definition('Fixed', schemaOf(range, [fixed])))
  const made = await custom.ask('POST', objects('Fixed'), {
    metadata: { name: 'a' },
    spec: { name: 'x' },
  })
  assert.is(made.status, 201, made.text)
  const path = `${objects('Fixed')}/a`
  const { resourceVersion } = made.json.metadata
  const body = { metadata: { name: 'a', resourceVersion }, spec: { name: 'y' } }
  assert.equal(await causes('PUT', path, body), ['spec: Invalid value: "object": name stays'])
  const patched = await custom.ask('PATCH', path, { spec: null }, 'application/merge-patch+json')
  assert.is(patched.status, 200)
})

test('items of a keyed list are matched with their old ones, whatever their order (C-14)', async () => {
  const items = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', maxLength: 20 }, size: { type: 'integer' } },
    'x-orch-validations': [{ rule: 'self.size >= oldSelf.size', message: 'never smaller' }],
  }
  const disks = {
    type: 'array',
    maxItems: 20,
    items,
    'x-orch-list-type': 'map',
    'x-orch-list-map-keys': ['name'],
  }
  await custom.define(definition('Disked', schemaOf({ disks }, [])))
  const spec = {
    disks: [
      { name: 'a', size: 5 },
      { name: 'b', size: 9 },
    ],
  }
  const { json } = await custom.ask('POST', objects('Disked'), { metadata: { name: 'a' }, spec })
  const { resourceVersion } = json.metadata
  const next = {
    disks: [
      { name: 'b', size: 9 },
      { name: 'c', size: 1 },
      { name: 'a', size: 4 },
    ],
  }
  const body = { metadata: { name: 'a', resourceVersion }, spec: next }
  assert.equal(await causes('PUT', `${objects('Disked')}/a`, body), [
    'spec.disks[2]: Invalid value: "object": never smaller',
  ])
})

test('a transition rule inside a list without keys is refused (C-14)', async () => {
  const items = {
    type: 'string',
    maxLength: 9,
    'x-orch-validations': [{ rule: 'self == oldSelf' }],
  }
  const tags = { type: 'array', maxItems: 5, items }
  const at = `${specPlace}.properties[tags]`
  assert.equal(await refused(schemaOf({ tags }, [])), [
    `${at}.items.x-orch-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${at}`,
  ])
})

test('rules that may cost too much are refused with how far they go (C-15, A2.73)', async () => {
  const names = { type: 'array', items: { type: 'string' } }
  const [one, ...others] = await refused(
    schemaOf({ names }, [{ rule: 'self.names.all(a, self.names.all(b, a.contains(b)))' }]),
  )
  assert.equal(others, [
    `${specPlace}.x-orch-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
    `${root}: Forbidden: x-orch-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
  ])
  assert.is(
    one,
    `${specPlace}.x-orch-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
  )
  const bounded = { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } }
  await custom.define(
    definition(
      'Bounded',
      schemaOf({ names: bounded }, [
        { rule: 'self.names.all(a, self.names.all(b, a.contains(b)))' },
      ]),
    ),
  )
})

test('rules wait until the object has the form that they rely on (C-09)', async () => {
  await custom.define(definition('Formed', schemaOf(range, [{ rule: 'self.min > 0' }])))
  assert.equal(await creating('Formed', { min: 'x' }), [
    'spec.min: Invalid value: "string": spec.min in body must be of type integer: "string"',
    '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  ])
})

test('an evaluation that fails is told with the rule (C-13)', async () => {
  await custom.define(definition('Failing', schemaOf(range, [{ rule: '10 / self.min > 0' }])))
  assert.equal(await creating('Failing', { min: 0 }), [
    'spec: Invalid value: "object": division by zero evaluating rule: 10 / self.min > 0',
  ])
})

test('an object that spends the budget of its rules is refused, and so is a call over its limit (C-15, A2.73)', async () => {
  const rules = Array.from({ length: 26 }, (_, at) => ({
    rule: `self.names.all(a, self.names.all(b, a != "${at}" || b != "x"))`,
    message: `rule ${at}`,
  }))
  const names = { type: 'array', maxItems: 500, items: { type: 'string', maxLength: 1 } }
  await custom.define(definition('Spent', schemaOf({ names }, rules)))
  const filled = (length: number) => ({ names: Array.from({ length }, () => 'a') })
  assert.equal(await creating('Spent', filled(330)), [
    'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
  ])
  assert.equal(await creating('Spent', filled(500)), [
    `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: rule 0`,
  ])
  const few = await custom.ask('POST', objects('Spent'), {
    metadata: { name: 'few' },
    spec: filled(5),
  })
  assert.is(few.status, 201)
})

test('rules see the object with its defaults, and what apply makes of it (C-08, C-13)', async () => {
  const properties = { ...range, max: { type: 'integer', default: 10 } }
  await custom.define(
    definition('Defaulted', schemaOf(properties, [{ rule: 'self.min <= self.max' }])),
  )
  const path = `${objects('Defaulted')}/a?fieldManager=one`
  const body = (min: number) => ({
    apiVersion: 'example.com/v1',
    kind: 'Defaulted',
    metadata: { name: 'a' },
    spec: { min },
  })
  const apply = 'application/apply-patch+yaml'
  assert.is((await custom.ask('PATCH', path, body(10), apply)).status, 201)
  const refusal = await custom.ask('PATCH', path, body(11), apply)
  assert.is(refusal.status, 422)
  assert.match(refusal.json.message, 'failed rule: self.min <= self.max')
})

test('a rule is checked on the status path, too (C-16)', async () => {
  const status = {
    type: 'object',
    properties: { ready: { type: 'integer' } },
    'x-orch-validations': [{ rule: 'self.ready >= 0', message: 'not below zero' }],
  }
  const schema = { type: 'object', properties: { spec: { type: 'object' }, status } }
  await custom.define(definition('Ready', schema, { version: { subresources: { status: {} } } }))
  await custom.ask('POST', objects('Ready'), { metadata: { name: 'a' }, spec: {} })
  const patch = { status: { ready: -1 } }
  const { status: code, json } = await custom.ask(
    'PATCH',
    `${objects('Ready')}/a/status`,
    patch,
    'application/merge-patch+json',
  )
  assert.is(code, 422)
  assert.is(
    json.message,
    'Ready.example.com "a" is invalid: status: Invalid value: "object": not below zero',
  )
})

test('without the gate nothing is forgiven, and rules have no optional old value (C-13, C-30)', async () => {
  const rule = { rule: 'oldSelf.hasValue() || self.min > 0', optionalOldSelf: true }
  const [told] = await refused(schemaOf(range, [rule]))
  assert.match(told ?? '', "found no matching overload for 'hasValue'")
})

test('with the gate unchanged parts may stay wrong, and rules see that nothing was there (C-13, C-30)', async () => {
  const gates = new Set([...defaultEnabledGates, ratchetingGate])
  const other = await startCustom({ gates })
  try {
    await other.define(definition('Grown', schemaOf(range, [])))
    const { json } = await other.ask('POST', objects('Grown'), {
      metadata: { name: 'a' },
      spec: { name: 'Upper', min: 1, max: 2 },
    })
    assert.is(json.kind, 'Grown')
    const properties = { ...range, name: { type: 'string', maxLength: 64, pattern: '^[a-z]+$' } }
    const rules = [
      {
        rule: 'oldSelf.hasValue() || self.min > 5',
        optionalOldSelf: true,
        message: 'new: above 5',
      },
    ]
    const stricter = {
      spec: { versions: definition('Grown', schemaOf(properties, rules)).spec.versions },
    }
    const changed = await other.ask(
      'PATCH',
      `${definitionsPath}/growns.example.com`,
      stricter,
      'application/merge-patch+json',
    )
    assert.is(changed.status, 200, changed.text)
    const merge = 'application/merge-patch+json'
    const path = `${objects('Grown')}/a`
    const refusedNew = async () => {
      const { status, text } = await other.ask('POST', `${objects('Grown')}?dryRun=All`, {
        metadata: { name: 'b' },
        spec: { min: 1 },
      })
      return status === 422 && text.includes('new: above 5')
    }
    await until('the stricter schema is in force', refusedNew)
    const kept = await other.ask('PATCH', path, { spec: { max: 3 } }, merge)
    assert.is(kept.status, 200, kept.text)
    const touched = await other.ask('PATCH', path, { spec: { name: 'Other' } }, merge)
    assert.is(touched.status, 422)
    assert.match(touched.text, "should match '^[a-z]+$'")
  } finally {
    await other.stop()
  }
})

test.run()
