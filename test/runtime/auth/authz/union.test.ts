/** Authorizers in a union: who decides, what becomes of reasons and errors, and the rules of all of them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AuthorizationAttributes,
  type AuthorizationResult,
  type Authorizer,
  alwaysAllow,
  isAllowed,
  subjectRulesOf,
  unionAuthorizer,
} from '../../../../runtime/auth/auth.ts'

const test = suite('runtime/auth/authz/union')

const user = { username: 'jane', groups: [] }
const attributes: AuthorizationAttributes = {
  ...{ user, verb: 'get', group: '', resource: 'pods', name: 'web' },
}

function says(result: AuthorizationResult, later = false): Authorizer {
  return { authorize: () => (later ? Promise.resolve(result) : result) }
}
function fails(text: string): Authorizer {
  return {
    authorize() {
      throw new Error(text)
    },
  }
}
const unreachable = fails('asked after a decision')

for (const later of [false, true]) {
  const how = later ? 'later' : 'at once'

  test(`the first that allows or denies decides, ${how}`, async () => {
    for (const decision of ['Allow', 'Deny'] as const) {
      const union = unionAuthorizer([
        says({ decision: 'NoOpinion' }, later),
        says({ decision, reason: 'so it is' }, later),
        unreachable,
      ])
      assert.equal(await union.authorize(attributes), { decision, reason: 'so it is' })
    }
  })

  test(`no opinion at all carries every reason, ${how}`, async () => {
    const union = unionAuthorizer([
      says({ decision: 'NoOpinion', reason: 'no rule' }, later),
      says({ decision: 'NoOpinion' }, later),
      says({ decision: 'NoOpinion', reason: 'no node' }, later),
    ])
    const result = await union.authorize(attributes)
    assert.equal(result, { decision: 'NoOpinion', reason: 'no rule\nno node' })
    assert.is(await isAllowed(union, attributes), false)
  })
}

test('an error is passed over for a decision, and thrown without one (Z-20)', async () => {
  const allowed = unionAuthorizer([fails('a'), alwaysAllow])
  assert.equal(allowed.authorize(attributes), { decision: 'Allow' })
  assert.throws(
    () => unionAuthorizer([fails('a'), says({ decision: 'NoOpinion' })]).authorize(attributes),
    (error: Error) => error.message === 'a',
  )
})

test('rules of members are joined; one that lists none makes them incomplete', async () => {
  const all = ['*']
  const everything = {
    resourceRules: [{ verbs: all, apiGroups: all, resources: all }],
    nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
  }
  assert.equal(await subjectRulesOf(alwaysAllow, user, 'default'), {
    ...everything,
    incomplete: false,
  })
  const union = unionAuthorizer([alwaysAllow, says({ decision: 'Deny' })])
  assert.equal(await subjectRulesOf(union, user, 'default'), {
    ...everything,
    incomplete: true,
    evaluationErrors: ['the authorizer decides about single requests and does not list rules'],
  })
})

test.run()
