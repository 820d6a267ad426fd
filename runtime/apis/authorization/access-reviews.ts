/** Questions about what somebody may do. They ask who decides about requests, too (supplement Z-12 to Z-15). */
import { type AuthorizationAttributes, subjectRulesOf, type UserInfo } from '../../auth/auth.ts'
import type { ApiObject, Metadata } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { ReviewContext, Reviewer } from '../strategy/reviewers.ts'
import { invalid } from '../types/field-errors.ts'

interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
}

interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
  readonly extra?: UserInfo['extra']
  readonly uid?: string
}

interface RulesSpec {
  readonly namespace?: string
}

/** Whether somebody may do something anywhere. */
export const subjectAccessReview: Reviewer = {
  validate(question) {
    return [...specErrors(question), ...userErrors(question), ...metadataErrors(question)]
  },
  review: (question, inquiry) => decide(question, inquiry, userOf(specOf(question))),
}

/** Whether somebody may do something in the namespace of the request. */
export const localSubjectAccessReview: Reviewer = {
  validate(question) {
    return [
      ...specErrors(question),
      ...userErrors(question),
      ...metadataErrors(question, 'namespace'),
      ...localErrors(question),
    ]
  },
  review: (question, inquiry) => decide(question, inquiry, userOf(specOf(question))),
}

/** Whether the caller may do something. */
export const selfSubjectAccessReview: Reviewer = {
  validate: (question) => [...specErrors(question), ...metadataErrors(question)],
  review: (question, inquiry) => decide(question, inquiry, inquiry.user),
}

/** What the caller may do in a namespace; nothing of the question goes back. */
export const selfSubjectRulesReview: Reviewer = {
  validate: (question) => (rulesSpecOf(question).namespace ? [] : 'no namespace on request'),
  async review(question, { authorizer, user }) {
    const { kind, apiVersion } = question
    const status = await subjectRulesOf(authorizer, user, rulesSpecOf(question).namespace ?? '')
    return { kind, apiVersion, metadata: {}, spec: {}, status } as ApiObject
  },
}

async function decide(
  question: ApiObject,
  { authorizer }: ReviewContext,
  user: UserInfo,
): Promise<ApiObject> {
  const attributes = { user, ...attributesOf(specOf(question)) }
  const { decision, reason } = await authorizer.authorize(attributes)
  const denied = decision === 'Deny' && { denied: true }
  const status = { allowed: decision === 'Allow', ...denied, ...(reason && { reason }) }
  return { ...question, status } as ApiObject
}

function userOf({ user = '', groups = [], uid, extra }: AccessSpec): UserInfo {
  return { username: user, groups, ...(uid && { uid }), ...(extra && { extra }) }
}

function attributesOf({
  resourceAttributes,
  nonResourceAttributes,
}: AccessSpec): Omit<AuthorizationAttributes, 'user'> {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {}
    return { verb, path, group: '', resource: '', name: '' }
  }
  const { verb = '', group = '', resource = '', name = '' } = resourceAttributes
  const { subresource, namespace } = resourceAttributes
  const place = { ...(subresource && { subresource }), ...(namespace && { namespace }) }
  return { verb, group, resource, name, ...place }
}

function specErrors(question: ApiObject): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = specOf(question)
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const text = 'cannot be specified in combination with resourceAttributes'
    return [invalid('spec.nonResourceAttributes', nonResourceAttributes, text)]
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return []
  const text = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalid('spec.resourceAttributes', null, text)]
}

function userErrors(question: ApiObject): readonly FieldError[] {
  const { user = '', groups = [] } = specOf(question)
  if (user !== '' || groups.length > 0) return []
  return [invalid('spec.user', user, 'at least one of user or group must be specified')]
}

/** A question has no identity: of its metadata only the namespace and the managers may say anything. */
function metadataErrors({ metadata }: ApiObject, kept?: 'namespace'): readonly FieldError[] {
  const { managedFields, ...given } = metadata as Metadata & { readonly managedFields?: unknown }
  const said = Object.entries(given).filter(([key, value]) => key !== kept && value !== null)
  if (said.length === 0) return []
  const text = kept === undefined ? 'must be empty' : `must be empty except for ${kept}`
  return [invalid('metadata', Object.fromEntries(said), text)]
}

function localErrors(question: ApiObject): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = specOf(question)
  const { namespace = '' } = resourceAttributes ?? {}
  const elsewhere =
    resourceAttributes !== undefined && namespace !== (question.metadata.namespace ?? '')
  const path = 'spec.resourceAttributes.namespace'
  return [
    ...(elsewhere ? [invalid(path, namespace, 'must match metadata.namespace')] : []),
    ...(nonResourceAttributes === undefined
      ? []
      : [
          invalid(
            'spec.nonResourceAttributes',
            nonResourceAttributes,
            'disallowed on this kind of request',
          ),
        ]),
  ]
}

function specOf(question: ApiObject): AccessSpec {
  return (question as ApiObject & { readonly spec?: AccessSpec }).spec ?? {}
}

function rulesSpecOf(question: ApiObject): RulesSpec {
  return (question as ApiObject & { readonly spec?: RulesSpec }).spec ?? {}
}
