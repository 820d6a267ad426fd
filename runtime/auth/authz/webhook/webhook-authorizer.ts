import type { SubjectAccessReviewSpec } from '../../../../generated/apis/authorization/v1.ts'
import type { Awaitable } from '../../../kernel/async/awaitable.ts'
import type { Clock } from '../../../kernel/async/clock.ts'
import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '../authorizer.ts'

/** What a webhook answers. */
export interface ReviewStatus {
  readonly allowed?: boolean
  readonly denied?: boolean
  readonly reason?: string
}

/** A webhook that decides, and what is done about its decisions. */
export interface WebhookAuthorizerOptions {
  /** Asks the webhook. @throws an Error if it does not answer in time, or not with a review. */
  readonly ask: (spec: SubjectAccessReviewSpec) => Promise<ReviewStatus>
  /** Which requests it is asked about. Default: all. @throws an Error if that cannot be told. */
  readonly matches?: (spec: SubjectAccessReviewSpec) => Awaitable<boolean>
  /** How long allowances and refusals are kept, in milliseconds. */
  readonly allowedMs: number
  readonly refusedMs: number
  /** What is decided if the webhook fails. */
  readonly onFailure: 'NoOpinion' | 'Deny'
  readonly clock: Clock
}

/** Most answers that are kept. */
const maxKept = 8192

/** Characters of a request beyond which its answer is not kept: clients choose them. */
const maxKeptLength = 10_000

/**
 * Asks a webhook, and remembers what it answered. A question that is being asked is not asked again. A webhook that fails
 * allows nothing: it has no opinion, or refuses, as the options say, and the failure is part of the result.
 */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { matches = () => true, onFailure } = options
  const answers = new Answers(options)
  const decide = async (attributes: AuthorizationAttributes): Promise<AuthorizationResult> => {
    const spec = specOf(attributes)
    try {
      if (!(await matches(spec))) return { decision: 'NoOpinion' }
      return resultOf(await answers.of(spec))
    } catch (error) {
      return { decision: onFailure, error }
    }
  }
  return {
    authorize: decide,
    rulesFor: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationErrors: ['webhook authorizer does not support user rule resolution'],
    }),
  }
}

function resultOf({ allowed, denied, reason }: ReviewStatus): AuthorizationResult {
  const because = { ...(reason && { reason }) }
  if (allowed && denied) {
    const why = 'webhook subject access review returned both allow and deny response'
    return { decision: 'Deny', ...because, error: new Error(why) }
  }
  return { decision: denied ? 'Deny' : allowed ? 'Allow' : 'NoOpinion', ...because }
}

function specOf(attributes: AuthorizationAttributes): SubjectAccessReviewSpec {
  const {
    user,
    verb,
    path,
    group,
    version = '*',
    resource,
    subresource,
    namespace,
    name,
  } = attributes
  const { username, uid, groups, extra } = user
  return {
    user: username,
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra && { extra }),
    ...(path === undefined
      ? {
          resourceAttributes: {
            ...(namespace && { namespace }),
            verb,
            ...(group && { group }),
            version,
            resource,
            ...(subresource && { subresource }),
            ...(name && { name }),
          },
        }
      : { nonResourceAttributes: { path, verb } }),
  } as SubjectAccessReviewSpec
}

/** Answers by question, the oldest first. */
class Answers {
  readonly #options: WebhookAuthorizerOptions
  readonly #kept = new Map<string, { readonly status: ReviewStatus; readonly until: number }>()
  readonly #asked = new Map<string, Promise<ReviewStatus>>()

  constructor(options: WebhookAuthorizerOptions) {
    this.#options = options
  }

  async of(spec: SubjectAccessReviewSpec): Promise<ReviewStatus> {
    const key = JSON.stringify(spec)
    const known = this.#kept.get(key)
    if (known !== undefined && known.until > this.#options.clock.now()) return known.status
    const pending = this.#asked.get(key) ?? this.#ask(key, spec)
    return pending
  }

  #ask(key: string, spec: SubjectAccessReviewSpec): Promise<ReviewStatus> {
    const asked = this.#options
      .ask(spec)
      .then((status) => {
        if (lengthOf(spec) < maxKeptLength) this.#keep(key, status)
        return status
      })
      .finally(() => this.#asked.delete(key))
    this.#asked.set(key, asked)
    return asked
  }

  #keep(key: string, status: ReviewStatus): void {
    const { clock, allowedMs, refusedMs } = this.#options
    const ms = status.allowed ? allowedMs : refusedMs
    this.#kept.delete(key)
    if (ms <= 0) return
    this.#kept.set(key, { status, until: clock.now() + ms })
    if (this.#kept.size <= maxKept) return
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest)
      break
    }
  }
}

/** The length of what the sender of a request chooses in it. */
function lengthOf({
  resourceAttributes: resource,
  nonResourceAttributes: other,
}: SubjectAccessReviewSpec): number {
  const texts = Object.values(resource ?? other ?? {}) as readonly unknown[]
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
}
