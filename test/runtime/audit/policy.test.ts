/** Which rule of a policy decides. U-02, U-03 */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Policy } from '../../../generated/config/audit/v1.ts'
import {
  type AuditPolicy,
  type AuditRequest,
  type PolicyRule,
  policyEvaluator,
} from '../../../runtime/audit/audit.ts'

const test = suite('runtime/audit: policy')

const resource = { group: '', plural: 'pods', subresource: '', namespace: 'shop', name: 'web' }
const get: AuditRequest = {
  user: 'ann',
  groups: ['dev', 'system:authenticated'],
  verb: 'get',
  path: '/api/v1/namespaces/shop/pods/web',
  resource,
}
const log = { ...get, resource: { ...resource, subresource: 'log' } }
const scale = {
  ...get,
  resource: { ...resource, group: 'apps', plural: 'x', subresource: 'scale' },
}
const node = { ...get, resource: { ...resource, plural: 'nodes', namespace: '' } }
const path: AuditRequest = { user: 'ann', groups: [], verb: 'get', path: '/healthz/ping' }

const pods = (more: object) => ({ resources: [{ group: '', resources: ['pods'], ...more }] })

// U-03
const rows: readonly (readonly [string, Omit<PolicyRule, 'level'>, AuditRequest, boolean])[] = [
  ['a rule without conditions matches a resource', {}, get, true],
  ['a rule without conditions matches a path', {}, path, true],
  ['an empty list states no condition', { users: [], verbs: [], namespaces: [] }, get, true],
  ['a user is one of those named', { users: ['bob', 'ann'] }, get, true],
  ['a user is none of those named', { users: ['bob'] }, get, false],
  ['one of the groups is enough', { userGroups: ['ops', 'dev'] }, get, true],
  ['nobody without groups is in one', { userGroups: ['dev'] }, path, false],
  ['a verb is one of those named', { verbs: ['get', 'list'] }, get, true],
  ['a verb is no other', { verbs: ['list'] }, get, false],
  ['a namespace matches', { namespaces: ['shop'] }, get, true],
  ['another namespace does not', { namespaces: ['bank'] }, get, false],
  ['"" is the namespace of what has none', { namespaces: [''] }, node, true],
  ['a path is in no namespace', { namespaces: [''] }, path, false],
  ['a resource matches by name', pods({}), get, true],
  ['a resource is not its subresource', pods({}), log, false],
  ['a subresource is named after a slash', pods({ resources: ['pods/log'] }), log, true],
  ['a subresource is not its resource', pods({ resources: ['pods/log'] }), get, false],
  ['pods/* is every subresource', pods({ resources: ['pods/*'] }), log, true],
  [
    '*/scale is that of every resource',
    pods({ group: 'apps', resources: ['*/scale'] }),
    scale,
    true,
  ],
  ['*/scale is no other subresource', pods({ resources: ['*/scale'] }), log, false],
  ['* is everything of the group', pods({ resources: ['*'] }), log, true],
  ['a resource of another group does not match', pods({ group: 'apps' }), get, false],
  ['no resources are all of the group', { resources: [{ group: '' }] }, log, true],
  ['no group is the core group', { resources: [{ resources: ['pods'] }] }, get, true],
  ['an object matches by name', pods({ resourceNames: ['web'] }), get, true],
  ['another object does not', pods({ resourceNames: ['db'] }), get, false],
  ['a rule about resources is not about paths', pods({}), path, false],
  ['a path matches whole', { nonResourceURLs: ['/healthz/ping'] }, path, true],
  ['a path is not what stands below it', { nonResourceURLs: ['/healthz'] }, path, false],
  ['a star stands for the rest', { nonResourceURLs: ['/healthz*'] }, path, true],
  ['a star alone is every path', { nonResourceURLs: ['*'] }, path, true],
  ['a rule about paths is not about resources', { nonResourceURLs: ['*'] }, get, false],
  ['every condition has to hold', { users: ['ann'], verbs: ['list'] }, get, false],
]
for (const [fact, rule, request, matches] of rows) {
  test(fact, () => {
    const judge = policyEvaluator({ rules: [{ level: 'Metadata', ...rule }] })
    assert.is(judge(request)?.level, matches ? 'Metadata' : undefined)
  })
}

// U-02
test('None records nothing, and hides the rules behind it', () => {
  const judge = policyEvaluator({
    rules: [{ level: 'None', verbs: ['get'] }, { level: 'Request' }],
  })
  assert.is(judge(get), undefined)
  assert.is(judge({ ...get, verb: 'list' })?.level, 'Request')
})

// U-03
test('stages are omitted by the policy and by the rule', () => {
  const judge = policyEvaluator({
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Metadata', omitStages: ['Panic'] }],
  })
  const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
  const left = stages.filter((stage) => judge(get)?.records(stage))
  assert.equal(left, ['ResponseStarted', 'ResponseComplete'])
})

// U-03
test('what a rule says about field ownership goes before what the policy says', () => {
  const omitted = (policy: boolean | undefined, rule: boolean | undefined) =>
    policyEvaluator({
      ...(policy !== undefined && { omitManagedFields: policy }),
      rules: [{ level: 'Request', ...(rule !== undefined && { omitManagedFields: rule }) }],
    })(get)?.omitManagedFields
  assert.equal(
    [omitted(undefined, undefined), omitted(true, undefined), omitted(true, false)],
    [false, true, false],
  )
})

test('the generated type of policy files is a policy', () => {
  const file: Policy = { rules: [{ level: 'None' }] }
  const policy: AuditPolicy = file
  assert.is(policyEvaluator(policy)(get), undefined)
})

const word = fc.constantFrom('ann', 'bob', 'dev')
const verb = fc.constantFrom('get', 'list')
const anyRule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    level: fc.constantFrom('None', 'Metadata', 'Request', 'RequestResponse'),
    users: fc.array(word, { maxLength: 2 }),
    userGroups: fc.array(word, { maxLength: 2 }),
    verbs: fc.array(verb, { maxLength: 1 }),
    namespaces: fc.array(fc.constantFrom('', 'shop'), { maxLength: 1 }),
    nonResourceURLs: fc.array(fc.constantFrom('*', '/healthz*'), { maxLength: 1 }),
  },
  { requiredKeys: ['level'], noNullPrototype: true },
)
const anyRequest: fc.Arbitrary<AuditRequest> = fc
  .record({ user: word, groups: fc.array(word), verb })
  .chain((who) => fc.constantFrom(get, log, node, path).map((what) => ({ ...what, ...who })))

// U-03
test('the first rule that matches decides, whatever stands around it', () => {
  const alone = (rule: PolicyRule, request: AuditRequest): boolean =>
    policyEvaluator({ rules: [{ ...rule, level: 'Metadata' }] })(request) !== undefined
  const law = fc.property(fc.array(anyRule, { maxLength: 6 }), anyRequest, (rules, request) => {
    const first = rules.find((rule) => alone(rule, request))
    const want = first === undefined || first.level === 'None' ? undefined : first.level
    assert.is(policyEvaluator({ rules })(request)?.level, want)
  })
  fc.assert(law, { numRuns: 500 })
})

test.run()
