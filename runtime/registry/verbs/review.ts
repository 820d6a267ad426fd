import { inProcessUser } from '../../auth/auth.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Body, Target, WriteOptions, WriteResult } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import type { Reviewer } from '../reviews/reviewer.ts'
import { reviewerOf } from '../reviews/reviewers.ts'
import { itemOfObject } from '../storage/item.ts'
import {
  beginAdmission,
  settleAdmission,
  type WriteAdmission,
  withWarnings,
} from '../strategy/admission.ts'
import { type Draft, decodeBody, readTyped } from '../strategy/decode.ts'
import { managedFieldsOnCreate, withManagedFields } from '../strategy/managed-fields.ts'
import { withRequestNamespace } from '../strategy/request-identity.ts'

/**
 * Answers a review, such as a SubjectAccessReview. It is read and admitted as a new object is, gets no identity and is stored
 * nowhere; a dry run is answered like any other.
 *
 * @throws StatusError BadRequest or Invalid, or as admission refuses.
 */
export async function review(
  context: RegistryContext,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  const reviewer = await reviewerOf(target.kind)
  const draft = await decodeBody(context.scheme, target, body, options.fieldValidation)
  return withWarnings(draft.warnings, () => answer({ context, target, reviewer, options }, draft))
}

/** A review on its way, with what answers it. */
interface ReviewCall {
  readonly context: RegistryContext
  readonly target: Target
  readonly reviewer: Reviewer
  readonly options: WriteOptions
}

async function answer(
  { context, target, reviewer, options }: ReviewCall,
  draft: Draft,
): Promise<WriteResult> {
  const { kind } = target
  const { authorizer, tokens, clock } = context
  const { user = inProcessUser } = options
  const sent = withRequestNamespace(target, draft.object)
  const managedFields = await managedFieldsOnCreate(context, target, dropStatus(sent), {
    requested: sent,
    manager: options.manager,
    large: draft.large ?? false,
    valid: true,
  })
  const { name } = sent.metadata
  const named = { ...target, ...(name && { name }) }
  const admission = beginAdmission({ context, target: named, options }, 'CREATE')
  return settleAdmission(admission, async () => {
    const read = await admitReview(kind, { ...draft, object: sent }, admission)
    const request = withManagedFields(read.object, managedFields)
    checkReview(kind, reviewer, { ...read, object: request })
    await admission?.validate(request)
    const facts = { user, authorizer, now: clock.now(), ...(tokens && { tokens }) }
    const { object } = readTyped(kind, asJson(await reviewer.review(request, facts)))
    const warnings = [...draft.warnings, ...(admission?.warnings ?? [])]
    return { item: itemOfObject(object), created: true, warnings }
  })
}

/** A review on its way to its reviewer. */
type ReviewDraft = Pick<Draft, 'object' | 'fieldErrors'>

/** The review as the mutating plugins leave it. */
async function admitReview(
  kind: Kind,
  draft: ReviewDraft,
  admission: WriteAdmission | undefined,
): Promise<ReviewDraft> {
  const changed = await admission?.mutate(draft.object)
  if (changed === undefined || changed === draft.object) return draft
  const { object, report } = readTyped(kind, asJson(changed))
  return { object, fieldErrors: report.errors }
}

/** Only errors of the spec count: the status of a request for a review is not read. */
function checkReview(
  kind: Kind,
  { validate: check }: Reviewer,
  { object, fieldErrors }: ReviewDraft,
): void {
  const wrong = check?.(object) ?? []
  if (typeof wrong === 'string') throw new StatusError('BadRequest', wrong)
  const all = [...fieldErrors.filter(({ path }) => path.startsWith('spec')), ...wrong]
  if (all.length > 0) throw invalid(kind, '', all)
}

/** Only the server writes the status of a review. */
function dropStatus(request: ApiObject): ApiObject {
  const { status, ...rest } = request as ApiObject & { readonly status?: unknown }
  return rest
}

function asJson(object: ApiObject): Json {
  return object as unknown as Json
}
