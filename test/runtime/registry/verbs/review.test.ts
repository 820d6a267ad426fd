/** Questions: objects that are answered and stored nowhere. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type { UserInfo } from '../../../../runtime/auth/auth.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { StatusReason } from '../../../../runtime/kernel/errors/status-error.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import type { Target } from '../../../../runtime/registry/registry.ts'
import { make, openAdmitted } from '../../../support/admission.ts'
import { authorizerOf } from '../../../support/authorizer.ts'
import { fakeClock } from '../../../support/clock.ts'
import {
  body,
  configMaps,
  dry,
  inDefault,
  kindAt,
  type OpenRegistry,
  quiet,
  strict,
} from '../../../support/registry.ts'
import { assertRejects as refused } from '../../../support/rejects.ts'

const now = '2030-01-01T00:00:00Z'
const question = suite<OpenRegistry>('runtime/registry/verbs/review')

question.before(async (context) => {
  Object.assign(context, await openAdmitted({}, fakeClock(Date.parse(now))))
})
question.after(({ close }) => close())

const authentication = 'apis/authentication.orch.io/v1'
const authorization = 'apis/authorization.orch.io/v1'
const kinds = {
  self: kindAt(`${authentication}/selfsubjectreviews`),
  token: kindAt(`${authentication}/tokenreviews`),
  access: kindAt(`${authorization}/subjectaccessreviews`),
  local: kindAt(`${authorization}/localsubjectaccessreviews`),
  selfAccess: kindAt(`${authorization}/selfsubjectaccessreviews`),
  rules: kindAt(`${authorization}/selfsubjectrulesreviews`),
}
const jane: UserInfo = {
  username: 'jane',
  uid: '42',
  groups: ['dev', 'system:authenticated'],
  extra: { scopes: ['a', 'b'] },
}
const getPods = { verb: 'get', resource: 'pods' }

type Answered = ApiObject & { readonly spec?: object; readonly status: Record<string, unknown> }

async function ask(
  { registry }: OpenRegistry,
  target: AnyKind | Target,
  value: object,
  options = quiet,
): Promise<Answered> {
  const place = 'plural' in target ? { kind: target } : target
  const asked = { user: jane, ...options }
  const { item, created } = await registry.create(
    place,
    body(JSON.parse(JSON.stringify(value))),
    asked,
  )
  assert.ok(created)
  return JSON.parse(Buffer.from(item.bytes).toString()) as Answered
}

async function rejects(work: Promise<unknown>, ...[reason, text]: [StatusReason, string?]) {
  const { message } = await refused(work, reason)
  if (text !== undefined) assert.is(message, text)
}

const access = (spec: object) => ({ spec: { user: 'ann', resourceAttributes: getPods, ...spec } })

question('every kind of questions can only be created', () => {
  const all = Object.values(scheme.routes).filter(({ review: answers }) => answers !== undefined)
  assert.is(all.length, 8)
  for (const { verbs, subresources } of all) assert.equal([verbs, subresources], [['create'], []])
})

// N-13
question('a caller learns who he is, when he asked, and nothing that he said', async (opened) => {
  for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
    const kind = kindAt(`apis/authentication.orch.io/${version}/selfsubjectreviews`)
    assert.equal(await ask(opened, kind, { metadata: { name: 'mine', labels: { a: 'b' } } }), {
      kind: 'SelfSubjectReview',
      apiVersion: `authentication.orch.io/${version}`,
      metadata: { creationTimestamp: now },
      status: { userInfo: jane },
    })
  }
})

// N-12
question('no token is known, and to say so is no failure', async (opened) => {
  const spec = { token: 'abc', audiences: ['api'] }
  const status = { authenticated: true, user: { username: 'root' }, audiences: ['api'] }
  const answer = await ask(opened, kinds.token, { metadata: { name: 'Any!' }, spec, status })
  assert.equal(answer.spec, spec)
  assert.equal(answer.status, { user: {} })
  assert.is(answer.metadata.name, 'Any!')
})

// N-12
question('a token review without a token is a bad request', async (opened) => {
  for (const value of [{}, { spec: {} }, { spec: { token: '' } }]) {
    const wrong = ask(opened, kinds.token, value)
    await rejects(wrong, 'BadRequest', 'token is required for TokenReview in authentication')
  }
})

// Z-12, A1.16, A4.12, A5.3
question('an access review goes back with its answer and its manager', async (opened) => {
  assert.equal(await ask(opened, kinds.access, access({ extra: { scopes: ['a'] } })), {
    kind: 'SubjectAccessReview',
    apiVersion: 'authorization.orch.io/v1',
    metadata: {
      creationTimestamp: null,
      managedFields: [
        {
          manager: 'test',
          operation: 'Update',
          apiVersion: 'authorization.orch.io/v1',
          time: now,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:spec': {
              'f:extra': { '.': {}, 'f:scopes': {} },
              'f:resourceAttributes': { '.': {}, 'f:resource': {}, 'f:verb': {} },
              'f:user': {},
            },
          },
        },
      ],
    },
    spec: { resourceAttributes: getPods, user: 'ann', extra: { scopes: ['a'] } },
    status: { allowed: true },
  })
})

const neither =
  'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified'
const nobody = 'spec.user: Invalid value: "": at least one of user or group must be specified'
const path = { path: '/healthz', verb: 'get' }

const wrong: readonly (readonly [string, AnyKind, object, string])[] = [
  ['Z-12: an access review asks something', kinds.access, {}, `[${neither}, ${nobody}]`],
  [
    'Z-12: not two things',
    kinds.access,
    access({ nonResourceAttributes: path }),
    'spec.nonResourceAttributes: Invalid value: {"path":"/healthz","verb":"get"}: cannot be specified in combination with resourceAttributes',
  ],
  ['Z-12: about somebody', kinds.access, access({ user: '', groups: [] }), nobody],
  [
    'Z-12: without metadata',
    kinds.access,
    { metadata: { name: 'a' }, ...access({}) },
    'metadata: Invalid value: {"name":"a"}: must be empty',
  ],
  ['Z-14: a review of the own access asks something', kinds.selfAccess, {}, neither],
  [
    'Z-14: without metadata',
    kinds.selfAccess,
    { metadata: { labels: { a: 'b' } }, ...access({}) },
    'metadata: Invalid value: {"labels":{"a":"b"}}: must be empty',
  ],
  [
    'Z-13: a local review has the namespace of its request',
    kinds.local,
    access({}),
    'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace',
  ],
  [
    'Z-13: and only that',
    kinds.local,
    {
      metadata: { namespace: 'default', name: 'a' },
      ...access({ resourceAttributes: { ...getPods, namespace: 'default' } }),
    },
    'metadata: Invalid value: {"name":"a"}: must be empty except for namespace',
  ],
  [
    'Z-13: and is not about paths',
    kinds.local,
    access({ resourceAttributes: undefined, nonResourceAttributes: path }),
    'spec.nonResourceAttributes: Invalid value: {"path":"/healthz","verb":"get"}: disallowed on this kind of request',
  ],
]

for (const [title, kind, value, text] of wrong) {
  question(title, async (opened) => {
    const target = kind.scope === 'Namespaced' ? inDefault(kind) : { kind }
    const subject = `${kind.kind}.${kind.group} "" is invalid: `
    await rejects(ask(opened, target, value), 'Invalid', subject + text)
  })
}

// Z-14
question('groups alone are somebody, and the caller need not be named', async (opened) => {
  const group = { groups: ['dev'], user: undefined }
  assert.equal((await ask(opened, kinds.access, access(group))).status, { allowed: true })
  const own = await ask(opened, kinds.selfAccess, { spec: { nonResourceAttributes: path } })
  assert.equal([own.spec, own.status], [{ nonResourceAttributes: path }, { allowed: true }])
})

// Z-15
question('whoever may do everything is told so, and not what he asked', async (opened) => {
  const all = ['*']
  assert.equal(await ask(opened, kinds.rules, { spec: { namespace: 'default' } }), {
    kind: 'SelfSubjectRulesReview',
    apiVersion: 'authorization.orch.io/v1',
    metadata: { creationTimestamp: null },
    spec: {},
    status: {
      resourceRules: [{ verbs: all, apiGroups: all, resources: all }],
      nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
      incomplete: false,
    },
  })
  await rejects(ask(opened, kinds.rules, {}), 'BadRequest', 'no namespace on request')
})

question('who decides about requests is who is asked, with the rights as given', async () => {
  const asked: (readonly [UserInfo, object])[] = []
  const authorizer = authorizerOf((user, right) => {
    asked.push([user, right])
    return right.verb === 'get'
  })
  const opened = await openAdmitted({ authorizer })
  const whole = {
    ...{ namespace: 'default', verb: 'get', group: 'apps', version: 'v1' },
    ...{ resource: 'deployments', subresource: 'scale', name: 'web' },
  }
  const about = { resourceAttributes: whole, uid: '7', groups: ['dev'], extra: { scopes: ['a'] } }
  const local = await ask(opened, inDefault(kinds.local), access(about))
  const own = await ask(opened, kinds.selfAccess, {
    spec: { nonResourceAttributes: { path: '/metrics', verb: 'put' } },
    status: { allowed: true },
  })
  assert.equal([local.status, own.status], [{ allowed: true }, { allowed: false }])
  const { version, ...right } = whole
  const ann = { username: 'ann', uid: '7', groups: ['dev'], extra: { scopes: ['a'] } }
  const bare = { group: '', resource: '', name: '' }
  assert.equal(asked, [
    [ann, right],
    [jane, { ...bare, verb: 'put', path: '/metrics' }],
  ])
  const { status } = await ask(opened, kinds.rules, { spec: { namespace: 'default' } })
  assert.equal(status, {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: 'the authorizer decides about single requests and does not list rules',
  })
  await opened.close()
})

question('nothing is stored, and a dry run is answered like any other', async (opened) => {
  const before = opened.registry.revision
  const plain = await ask(opened, kinds.access, access({}))
  const dried = await ask(opened, kinds.access, access({}), dry)
  assert.equal(dried, plain)
  for (const kind of Object.values(kinds)) assert.is(opened.registry.count(kind), 0)
  assert.is(opened.registry.revision, before)
})

question('fields that nobody knows are told of or refused', async ({ registry }) => {
  const value = body({ spec: { token: 'a', tokens: 'b' } })
  const told = await registry.create({ kind: kinds.token }, value, quiet)
  assert.equal(told.warnings, ['unknown field "spec.tokens"'])
  const text =
    'TokenReview in version "v1" cannot be handled as a TokenReview: strict decoding error: unknown field "spec.tokens"'
  await rejects(registry.create({ kind: kinds.token }, value, strict), 'BadRequest', text)
})

question('a body is in the namespace of its path or in none', async (opened) => {
  const elsewhere = { metadata: { namespace: 'other' }, ...access({}) }
  const text =
    'the namespace of the provided object does not match the namespace sent on the request'
  await rejects(ask(opened, inDefault(kinds.local), elsewhere), 'BadRequest', text)
})

// Z-13
question('a local review does not tell whether its namespace is there', async (opened) => {
  const value = access({ resourceAttributes: { ...getPods, namespace: 'nowhere' } })
  const target = { kind: kinds.local, namespace: 'nowhere' }
  assert.equal((await ask(opened, target, value)).status, { allowed: true })
  const real = { kind: configMaps, namespace: 'nowhere' }
  await rejects(ask(opened, real, { metadata: { name: 'a' } }), 'NotFound')
})

question('no quota counts questions', async (opened) => {
  const name = `count/${kinds.local.plural}.${kinds.local.group}`
  const spec = { hard: { [name]: '0' } }
  await make(opened, 'api/v1/resourcequotas', { metadata: { name: 'none' }, spec })
  const value = access({ resourceAttributes: { ...getPods, namespace: 'default' } })
  assert.equal((await ask(opened, inDefault(kinds.local), value)).status, { allowed: true })
})

question('admission may refuse a question before it is answered', async () => {
  const opened = await openAdmitted({ only: ['NamespaceExists'] })
  const value = access({ resourceAttributes: { ...getPods, namespace: 'nowhere' } })
  await rejects(ask(opened, { kind: kinds.local, namespace: 'nowhere' }, value), 'NotFound')
  await opened.close()
})

question.run()
