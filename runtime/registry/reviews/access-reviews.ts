/** Reviews of what a user may do: they ask the same authorizer as requests do (supplement Z-12 to Z-15). */

import type {
  LocalSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../../generated/apis/authorization/v1.ts'
import {
  type AuthorizationAttributes,
  type AuthorizationResult,
  type Authorizer,
  joinedErrors,
  subjectRulesOf,
  type UserInfo,
} from '../../auth/auth.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { errorsOf, type Field } from '../../kernel/walker/field.ts'
import type { Loose, LooseObject } from '../../kernel/walker/loose.ts'
import type { ReviewContext, Reviewer } from './reviewer.ts'

type Review = Field<LocalSubjectAccessReview>
type Spec = Loose<SubjectAccessReviewSpec>

/** Whether a user may do something anywhere. */
export const subjectAccessReview: Reviewer = {
  validate: (question) =>
    errorsOf((review: Review) => {
      checkSpec(review)
      checkUser(review)
      checkMetadata(review)
    }, question),
  review: (question, context) => decide(question, context, userOf(specOf(question))),
}

/** Whether a user may do something in the namespace of the request. */
export const localSubjectAccessReview: Reviewer = {
  validate: (question) =>
    errorsOf((review: Review) => {
      checkSpec(review)
      checkUser(review)
      checkMetadata(review, 'namespace')
      checkLocal(review)
    }, question),
  review: (question, context) => decide(question, context, userOf(specOf(question))),
}

/** Whether the user of the request may do something. */
export const selfSubjectAccessReview: Reviewer = {
  validate: (question) =>
    errorsOf((review: Review) => {
      checkSpec(review)
      checkMetadata(review)
    }, question),
  review: (question, context) => decide(question, context, context.user),
}

/** What the user of the request may do in a namespace; nothing of the question goes back. */
export const selfSubjectRulesReview: Reviewer = {
  validate: (question) => (namespaceOf(question) === '' ? 'no namespace on request' : []),
  async review(question, { authorizer, user }) {
    const { kind, apiVersion } = question
    const found = await subjectRulesOf(authorizer, user, namespaceOf(question))
    const { evaluationErrors = [], ...rules } = found
    const evaluationError = joinedErrors(evaluationErrors)
    const status = { ...rules, ...(evaluationErrors.length > 0 && { evaluationError }) }
    return { kind, apiVersion, metadata: {}, spec: {}, status } as ApiObject
  },
}

async function decide(
  question: ApiObject,
  { authorizer }: ReviewContext,
  user: UserInfo,
): Promise<ApiObject> {
  const attributes = { user, ...attributesOf(specOf(question)) }
  const { decision, reason, error } = await decided(authorizer, attributes)
  const status = {
    allowed: decision === 'Allow',
    ...(decision === 'Deny' && { denied: true }),
    ...(reason && { reason }),
    ...(error !== undefined && { evaluationError: evaluationErrorText(error) }),
  }
  return { ...question, status } as ApiObject
}

/** An authorizer that cannot tell is part of the answer, not the end of the request. */
async function decided(
  authorizer: Authorizer,
  attributes: AuthorizationAttributes,
): Promise<AuthorizationResult> {
  try {
    return await authorizer.authorize(attributes)
  } catch (error) {
    return { decision: 'NoOpinion', error }
  }
}

function evaluationErrorText(error: unknown): string {
  if (!(error instanceof AggregateError)) return errorText(error)
  return `[${error.errors.map(evaluationErrorText).join(', ')}]`
}

function userOf({ user = '', groups, uid, extra }: Spec): UserInfo {
  const more = extra as UserInfo['extra']
  return { username: user, groups: groups ?? [], ...(uid && { uid }), ...(more && { extra: more }) }
}

function attributesOf({
  resourceAttributes,
  nonResourceAttributes,
}: Spec): Omit<AuthorizationAttributes, 'user'> {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {}
    return { verb, path, group: '', resource: '', name: '' }
  }
  const { verb = '', group = '', resource = '', name = '' } = resourceAttributes
  const { subresource, namespace } = resourceAttributes
  const place = { ...(subresource && { subresource }), ...(namespace && { namespace }) }
  return { verb, group, resource, name, ...place }
}

function checkSpec(review: Review): void {
  const { resourceAttributes, nonResourceAttributes } = review.value.spec ?? {}
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = 'cannot be specified in combination with resourceAttributes'
    review.invalid('spec.nonResourceAttributes', why)
  } else if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    review.invalid('spec.resourceAttributes', why)
  }
}

function checkUser(review: Review): void {
  const { user = '', groups } = review.value.spec ?? {}
  if (user !== '' || groups?.length) return
  review.invalid('spec.user', 'at least one of user or group must be specified', user)
}

/** A review has no identity: of its metadata only the namespace and the managers may say anything. */
function checkMetadata(review: Review, kept?: 'namespace'): void {
  const { managedFields, ...metadata } = review.value.metadata ?? {}
  const given = Object.entries(metadata).filter(([key, value]) => key !== kept && value !== null)
  if (given.length === 0) return
  const why = kept === undefined ? 'must be empty' : `must be empty except for ${kept}`
  review.invalid('metadata', why, Object.fromEntries(given))
}

function checkLocal(review: Review): void {
  const { resourceAttributes, nonResourceAttributes } = review.value.spec ?? {}
  const { namespace = '' } = resourceAttributes ?? {}
  const expected = review.value.metadata?.namespace ?? ''
  if (resourceAttributes !== undefined && namespace !== expected) {
    const why = 'must match metadata.namespace'
    review.invalid('spec.resourceAttributes.namespace', why, namespace)
  }
  if (nonResourceAttributes !== undefined) {
    review.invalid('spec.nonResourceAttributes', 'disallowed on this kind of request')
  }
}

function specOf(question: ApiObject): Spec {
  return (question as LooseObject<SubjectAccessReview>).spec ?? {}
}

function namespaceOf(question: ApiObject): string {
  return (question as LooseObject<SelfSubjectRulesReview>).spec?.namespace ?? ''
}
