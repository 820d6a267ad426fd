import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { firstDecision, throwTogether, type Undecided } from '../first-decision.ts'
import type { AuthorizationResult, Authorizer, SubjectRules } from './authorizer.ts'

/**
 * Asks authorizers in order; the first that allows or denies decides. If none does, the union has no opinion, with the
 * reasons of all members, one a line. Rules are those of all members together.
 *
 * @throws the errors of its members if none of them decided.
 */
export function unionAuthorizer(members: readonly Authorizer[]): Authorizer {
  return {
    authorize: (attributes) =>
      firstDecision<Authorizer, AuthorizationResult>(
        members,
        (member) => member.authorize(attributes),
        ({ decision }) => decision !== 'NoOpinion',
        noOpinion,
      ),
    async rulesFor(user, namespace) {
      const parts = await Promise.all(
        members.map((member): Awaitable<SubjectRules> => {
          return member.rulesFor?.(user, namespace) ?? unlisted
        }),
      )
      return joined(parts)
    },
  }
}

/** The rules of an authorizer that cannot list any. */
export const unlisted: SubjectRules = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  evaluationErrors: ['the authorizer decides about single requests and does not list rules'],
}

function noOpinion({ results, errors }: Undecided<AuthorizationResult>): AuthorizationResult {
  const failures = [...errors, ...results.flatMap(({ error }) => error ?? [])]
  if (failures.length > 0) throwTogether(failures, 'authorization failed')
  const reasons = results.flatMap(({ reason }) => reason || [])
  return { decision: 'NoOpinion', ...(reasons.length > 0 && { reason: reasons.join('\n') }) }
}

function joined(parts: readonly SubjectRules[]): SubjectRules {
  const errors = parts.flatMap(({ evaluationErrors = [] }) => evaluationErrors)
  return {
    resourceRules: parts.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: parts.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: parts.some(({ incomplete }) => incomplete),
    ...(errors.length > 0 && { evaluationErrors: errors }),
  }
}
