/** Definitions over real HTTP: what is refused with which text, how they are established, and how they go. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type CustomServer,
  conditioned,
  definition,
  definitionsPath,
  established,
  startCustom,
} from '../../support/custom.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: definitions')

let custom: CustomServer
test.before(async () => {
  custom = await startCustom()
})
test.after(() => custom.stop())

const plain = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
}

/** The causes with which a definition is refused, as `field: message`. */
async function causes(body: object): Promise<readonly string[]> {
  const { status, json, text } = await custom.ask('POST', definitionsPath, body)
  assert.is(status, 422, text)
  return json.details.causes.map(
    ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
  )
}

const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

const refused: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'a name that is not plural and group',
    { ...definition('Wrong', plain), metadata: { name: 'x.example.com' } },
    ['metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  [
    'a group without a dot',
    {
      ...definition('Wrong', plain, { spec: { group: 'example' } }),
      metadata: { name: 'wrongs.example' },
    },
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  [
    'no scope (A9.60)',
    definition('Wrong', plain, { spec: { scope: undefined } }),
    ['spec.scope: Required value'],
  ],
  [
    'another scope',
    definition('Wrong', plain, { spec: { scope: 'Galaxy' } }),
    ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
  ],
  [
    'no stored version',
    definition('Wrong', plain, { version: { storage: false } }),
    [
      'spec.versions: Invalid value: []string{"v1"}: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: []string(nil): must have at least one stored version',
    ],
  ],
  [
    'a warning that is empty',
    definition('Wrong', plain, { version: { deprecated: true, deprecationWarning: '' } }),
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    'a warning with a tab',
    definition('Wrong', plain, { version: { deprecated: true, deprecationWarning: 'a\tb' } }),
    [
      'spec.versions[0].deprecationWarning: Invalid value: "a\\tb": must only contain printable UTF-8 characters; non-printable character found at index 1',
    ],
  ],
  [
    'a version name of another form',
    definition('Wrong', plain, { version: { name: 'V1' } }),
    [
      `spec.versions[0].name: Invalid value: "V1": ${label}`,
      `spec.version: Invalid value: "V1": ${label}`,
    ],
  ],
  [
    'no schema',
    definition('Wrong', plain, { version: { schema: undefined } }),
    ['spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required'],
  ],
  [
    'a schema that is not structural',
    definition('Wrong', { type: 'object', properties: { a: {} } }),
    [
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ],
  ],
  [
    'names of another form',
    definition('Wrong', plain, { names: { shortNames: ['A'], categories: ['B'], singular: 'C' } }),
    [
      `spec.names.singular: Invalid value: "C": ${label}`,
      `spec.names.shortNames[0]: Invalid value: "A": ${label}`,
      `spec.names.categories[0]: Invalid value: "B": ${label}`,
    ],
  ],
  [
    'one word for kind and list',
    definition('Wrong', plain, { names: { listKind: 'Wrong' } }),
    ['spec.names.listKind: Invalid value: "Wrong": kind and listKind may not be the same'],
  ],
  [
    'unknown fields at the root',
    definition('Wrong', plain, { spec: { preserveUnknownFields: true } }),
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-orch-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    'replicas outside the spec',
    definition('Wrong', plain, {
      version: {
        subresources: { scale: { specReplicasPath: '.status.a', statusReplicasPath: 'b' } },
      },
    }),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.a": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: "b": must be a simple json path starting with .',
    ],
  ],
  [
    'columns of another type',
    definition('Wrong', plain, {
      version: {
        additionalPrinterColumns: [{ name: 'A', type: 'text', format: 'f', jsonPath: 'spec' }],
      },
    }),
    [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "f": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .',
    ],
  ],
  [
    'a webhook without conversion by it',
    definition('Wrong', plain, {
      spec: { conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } } },
    }),
    [
      'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
    ],
  ],
  [
    'a warning of a version that is not deprecated',
    definition('Wrong', plain, { version: { deprecationWarning: 'x' } }),
    [
      'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
    ],
  ],
]

for (const [name, body, texts] of refused) {
  test(`refused: ${name} (C-01, C-17, C-18)`, async () => assert.equal(await causes(body), texts))
}

test('a group of the platform needs to be approved (C-02)', async () => {
  const own = definition('Guest', plain, { spec: { group: 'sub.orch.io' } })
  const named = { ...own, metadata: { name: 'guests.sub.orch.io' } }
  assert.equal(await causes(named), [
    'metadata.annotations[api-approved.orch.io]: Required value: protected groups must have approval annotation "api-approved.orch.io", see https://github.com/kubernetes/enhancements/pull/1111',
  ])
  const odd = { ...named.metadata, annotations: { 'api-approved.orch.io': 'yes' } }
  assert.equal(await causes({ ...named, metadata: odd }), [
    'metadata.annotations[api-approved.orch.io]: Invalid value: "yes": protected groups must have approval annotation "api-approved.orch.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
  ])
  const annotations = { 'api-approved.orch.io': 'unapproved, an experiment' }
  await custom.define({ ...named, metadata: { ...named.metadata, annotations } })
  const condition = await conditioned(
    custom.ask,
    'guests.sub.orch.io',
    'OrchAPIApprovalPolicyConformant',
    'False',
  )
  assert.is(condition.reason, 'UnapprovedAnnotation')
})

test('a definition of the older version names fields that are not there any more (A9.60)', async () => {
  const old = definition('Older', plain, {
    spec: { version: 'v1', validation: {}, subresources: {}, additionalPrinterColumns: [] },
  })
  const { status, json } = await custom.ask(
    'POST',
    `${definitionsPath}?fieldValidation=Strict&dryRun=All`,
    old,
  )
  assert.is(status, 400)
  for (const field of ['version', 'validation', 'subresources', 'additionalPrinterColumns']) {
    assert.match(json.message, `unknown field "spec.${field}"`)
  }
})

test('names that follow are filled in, and the status says so when they are accepted (C-03, C-23)', async () => {
  await custom.define(definition('Named', plain))
  const { json } = await custom.ask('GET', `${definitionsPath}/nameds.example.com`)
  const names = { plural: 'nameds', singular: 'named', kind: 'Named', listKind: 'NamedList' }
  assert.equal(json.spec.names, names)
  assert.equal(json.status.acceptedNames, names)
  assert.equal(json.status.storedVersions, ['v1'])
  const facts = json.status.conditions.map(
    ({ lastTransitionTime, ...rest }: { lastTransitionTime: string }) => rest,
  )
  assert.equal(facts, [
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    },
  ])
})

test('the second to ask for a name waits until it is free (C-03)', async () => {
  await custom.define(definition('First', plain, { names: { shortNames: ['mine'] } }))
  const second = definition('Second', plain, { names: { shortNames: ['mine'] } })
  await custom.ask('POST', definitionsPath, second)
  const told = await conditioned(custom.ask, 'seconds.example.com', 'NamesAccepted', 'False')
  assert.equal([told.reason, told.message], ['ShortNamesConflict', '"mine" is already in use'])
  const waiting = await conditioned(custom.ask, 'seconds.example.com', 'Established', 'False')
  assert.is(waiting.reason, 'NotAccepted')
  assert.is((await custom.ask('GET', '/apis/example.com/v1/seconds')).status, 404)
  await custom.ask('DELETE', `${definitionsPath}/firsts.example.com`)
  await established(custom.ask, 'seconds.example.com')
  assert.is((await custom.ask('GET', '/apis/example.com/v1/seconds')).status, 200)
})

test('what decides where objects are kept stays (C-26)', async () => {
  await custom.define(definition('Fixed', plain))
  const path = `${definitionsPath}/fixeds.example.com`
  const change = async (spec: object): Promise<readonly string[]> => {
    const { json } = await custom.ask('PATCH', path, { spec }, 'application/merge-patch+json')
    return json.details.causes.map(({ field }: { field: string }) => field)
  }
  assert.equal(await change({ scope: 'Cluster' }), ['spec.scope'])
  assert.equal(await change({ names: { kind: 'Other', listKind: 'OtherList' } }), [
    'spec.names.kind',
  ])
})

test('a version that objects are stored in cannot go (C-01)', async () => {
  await custom.define(definition('Kept', plain))
  const path = `${definitionsPath}/kepts.example.com`
  const { json } = await custom.ask('GET', path)
  const [version] = json.spec.versions
  const next = { ...json, spec: { ...json.spec, versions: [{ ...version, name: 'v2' }] } }
  const refusal = await custom.ask('PUT', path, next)
  assert.is(refusal.status, 422)
  assert.match(
    refusal.json.message,
    'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
  )
})

test('keys of the public ecosystem are understood, and stored under our own name', async () => {
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  }
  await custom.define(definition('Public', schema))
  const { json } = await custom.ask('GET', `${definitionsPath}/publics.example.com`)
  const { spec } = json.spec.versions[0].schema.openAPIV3Schema.properties
  assert.equal(spec, { type: 'object', 'x-orch-preserve-unknown-fields': true })
  const made = await custom.ask('POST', '/apis/example.com/v1/namespaces/default/publics', {
    metadata: { name: 'a' },
    spec: { b: 1 },
  })
  assert.equal(made.json.spec, { b: 1 })
})

test('a rule may stand twice (C-13)', async () => {
  const spec = { type: 'object', 'x-orch-validations': [{ rule: 'true' }, { rule: 'true' }] }
  await custom.define(definition('Doubled', { type: 'object', properties: { spec } }))
})

test('objects have generations, names and field selectors of their own (C-24, C-27)', async () => {
  const spec = { type: 'object', 'x-orch-preserve-unknown-fields': true }
  await custom.define(definition('Counted', { type: 'object', properties: { spec } }))
  const objects = '/apis/example.com/v1/namespaces/default/counteds'
  const generation = async (method: string, path: string, body: object, type?: string) =>
    (await custom.ask(method, path, body, type)).json.metadata.generation
  const merge = 'application/merge-patch+json'
  assert.is(await generation('POST', objects, { metadata: { name: 'a' }, spec: { b: 1 } }), 1)
  const labelled = { metadata: { labels: { c: 'd' } } }
  assert.is(await generation('PATCH', `${objects}/a`, labelled, merge), 1)
  assert.is(await generation('PATCH', `${objects}/a`, { spec: { b: 2 } }, merge), 2)
  await custom.ask('POST', objects, { metadata: { name: 'b.c' } })
  const wrong = await custom.ask('POST', objects, { metadata: { name: 'A_' } })
  assert.is(wrong.status, 422)
  assert.match(wrong.json.message, 'metadata.name: Invalid value: "A_"')
  assert.match(wrong.json.message, 'a lowercase RFC 1123 subdomain must consist of')
  const names = async (selector: string) => {
    const path = `/apis/example.com/v1/counteds?fieldSelector=${selector}`
    const { json } = await custom.ask('GET', path)
    return json.items.map((one: { metadata: { name: string } }) => one.metadata.name)
  }
  assert.equal(await names('metadata.name=b.c'), ['b.c'])
  assert.equal(await names('metadata.namespace=default'), ['a', 'b.c'])
  assert.equal(await names('metadata.namespace=other'), [])
  assert.is((await custom.ask('GET', `${objects}?fieldSelector=spec.b=2`)).status, 400)
})

test('a definition goes after its objects, and they after their finalizers (C-03, X-20)', async () => {
  await custom.define(definition('Going', plain))
  const objects = '/apis/example.com/v1/namespaces/default/goings'
  const metadata = { name: 'held', finalizers: ['example.com/hold'] }
  await custom.ask('POST', objects, { metadata })
  await custom.ask('POST', objects, { metadata: { name: 'free' } })
  const gone = await custom.ask('DELETE', `${definitionsPath}/goings.example.com`)
  assert.equal(gone.json.metadata.finalizers, ['customresourcecleanup.apiextensions.orch.io'])
  await until(
    'the free object is gone',
    async () => (await custom.ask('GET', `${objects}/free`)).status === 404,
  )
  const progress = await conditioned(custom.ask, 'goings.example.com', 'Terminating', 'True')
  assert.match(progress.reason ?? '', /^InstanceDeletion/)
  const late = await custom.ask('POST', objects, { metadata: { name: 'late' } })
  assert.is(late.status, 405)
  const told = 'create not allowed while custom resource definition is terminating'
  assert.is(late.json.message, told)
  await custom.ask('PUT', `${objects}/held`, { metadata: { name: 'held' } })
  const { json } = await custom.ask('GET', `${objects}/held`)
  assert.ok(json.metadata.deletionTimestamp)
  await custom.server.stop()
  custom = await startCustom()
})

test('a terminating definition still lets finalizers be taken off, by their controllers', async () => {
  await custom.define(definition('Ending', plain))
  const objects = '/apis/example.com/v1/namespaces/default/endings'
  await custom.ask('POST', objects, {
    metadata: { name: 'held', finalizers: ['example.com/hold'] },
  })
  await custom.ask('DELETE', `${definitionsPath}/endings.example.com`)
  await conditioned(custom.ask, 'endings.example.com', 'Terminating', 'True')
  const off = { metadata: { finalizers: null } }
  await until('the finalizer is off', async () => {
    const { status } = await custom.ask(
      'PATCH',
      `${objects}/held`,
      off,
      'application/merge-patch+json',
    )
    return status === 200 || status === 404
  })
  await until('the definition is gone', async () => {
    const { status } = await custom.ask('GET', `${definitionsPath}/endings.example.com`)
    return status === 404
  })
  assert.is((await custom.ask('GET', objects)).status, 404)
})

test('a definition whose objects may not be deleted says why, and goes once they may (X-20)', async () => {
  await custom.define(definition('Guard', plain))
  await custom.ask('POST', '/apis/example.com/v1/namespaces/default/guards', {
    metadata: { name: 'kept' },
  })
  const webhooks = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations'
  const unreachable = {
    name: 'guard.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    rules: [
      {
        operations: ['DELETE'],
        apiGroups: ['example.com'],
        apiVersions: ['v1'],
        resources: ['guards'],
      },
    ],
  }
  const guard = { metadata: { name: 'guard' }, webhooks: [unreachable] }
  assert.is((await custom.ask('POST', webhooks, guard)).status, 201)
  await custom.ask('DELETE', `${definitionsPath}/guards.example.com`)
  const failed = await until('it says why', async () => {
    const condition = await conditioned(custom.ask, 'guards.example.com', 'Terminating', 'True')
    return condition.reason === 'InstanceDeletionFailed' && condition
  })
  assert.match(failed.message ?? '', /^could not issue all deletes: .*guard\.example\.com/)
  await custom.ask('DELETE', `${webhooks}/guard`)
  await until('the definition is gone', async () => {
    return (await custom.ask('GET', `${definitionsPath}/guards.example.com`)).status === 404
  })
})

test('a watch of a kind ends when its definition goes', async () => {
  await custom.define(definition('Watched', plain))
  const response = await fetch(`${custom.server.url}/apis/example.com/v1/watcheds?watch=true`)
  await custom.ask('DELETE', `${definitionsPath}/watcheds.example.com`)
  const text = await response.text()
  assert.is(text, '')
})

test('depth bombs and giant definitions are refused or taken, and the server goes on', async () => {
  let schema: object = { type: 'string' }
  for (let level = 0; level < 450; level++) schema = { type: 'object', properties: { a: schema } }
  const deep = await custom.ask('POST', definitionsPath, definition('Deep', schema))
  assert.ok([201, 400, 422].includes(deep.status), deep.text.slice(0, 200))
  let not: object = { minimum: 1 }
  for (let level = 0; level < 900; level++) not = { not }
  const bomb = await custom.ask(
    'POST',
    definitionsPath,
    definition('Bomb', { type: 'object', ...not }),
  )
  assert.ok([201, 400, 422].includes(bomb.status), bomb.text.slice(0, 200))
  const properties = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`p${at}`, {}]))
  const many = await custom.ask(
    'POST',
    definitionsPath,
    definition('Many', { type: 'object', properties }),
  )
  assert.is(many.status, 422)
  assert.match(many.json.message, /and 8000 more\]$/)
  assert.is((await custom.ask('GET', '/livez')).status, 200)
})

test.run()
