/** Rights of the sender that depend on what is written. */
import { type AuthorizationAttributes, alwaysAllow, type RuleResolver } from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { resourceName } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import { statusDetails } from '../contract/errors.ts'
import type { ObjectUpdate, ObjectWrite } from './object-write.ts'

const noRules: RuleResolver = {
  rulesOf: () => ({ rules: [], errors: [] }),
  rulesOfRole: () => undefined,
}

/** Refuses a new object that gives rights which its sender does not have. The server itself may make any. */
export function permitNew(write: ObjectWrite): ObjectWrite | Promise<ObjectWrite> {
  const { name } = write.draft.object.metadata
  const { name: _, ...metadata } = write.object.metadata
  const shown = { ...write.object, metadata: { ...metadata, ...(name !== undefined && { name }) } }
  return permitted(write, shown, undefined)
}

/** Refuses a change that gives rights which its sender does not have. */
export function permitUpdate(write: ObjectUpdate): ObjectUpdate | Promise<ObjectUpdate> {
  return permitted(write, write.object, write.old)
}

function permitted<W extends ObjectWrite>(
  write: W,
  object: ApiObject,
  old: ApiObject | undefined,
): W | Promise<W> {
  const { strategy, context, target, options } = write
  if (strategy.permit === undefined || options.user === undefined) return write
  const { authorizer, rules = noRules } = context
  const { kind, namespace = '', name = '' } = target
  const access = { user: options.user, authorizer, rules, kind, namespace, name }
  return strategy.permit(object, old, access).then(() => write)
}

/**
 * Asks once more, where a request that is no creation makes an object: its sender needs the right to create it, too
 * (supplement Z-16).
 *
 * @throws StatusError Forbidden.
 */
export function authorizeCreation(write: ObjectWrite): Awaitable<ObjectWrite> {
  const { context, options, target, makesMissing } = write
  const { user } = options
  if (!makesMissing || user === undefined || context.authorizer === alwaysAllow) return write
  const { kind, name = '', namespace } = target
  const attributes: AuthorizationAttributes = {
    ...{ user, verb: 'create', group: kind.group, version: kind.version },
    ...{ resource: kind.plural, name, ...(namespace !== undefined && { namespace }) },
  }
  const settle = ({
    decision,
    reason = '',
    error,
  }: {
    decision: string
    reason?: string
    error?: unknown
  }) => {
    if (decision === 'Allow') return write
    if (error !== undefined) throw error
    throw new StatusError(
      'Forbidden',
      `${resourceName(kind)} ${quoted(name)} is forbidden: ${reason}`,
      { details: statusDetails(kind, name) },
    )
  }
  const result = context.authorizer.authorize(attributes)
  return result instanceof Promise ? result.then(settle) : settle(result)
}
