import { type Action, actions } from '../../apis/apis.ts'
import type { TokenService } from '../../auth/auth.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type {
  ActionResult,
  Body,
  ObjectTarget,
  Target,
  WriteOptions,
} from '../contract/contract.ts'
import { conflict, invalid, notFound } from '../contract/errors.ts'
import { objectTarget } from '../storage/keys.ts'
import { beginAdmission, settleAdmission, withWarnings } from '../strategy/admission.ts'
import { type Draft, decodeBody } from '../strategy/decode.ts'
import { withRequestNamespace } from '../strategy/request-identity.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { evictPod } from './eviction.ts'

/** Carries an action out. `body` is of the action's kind, has the name of its target, and no field errors. */
type ActionRunner = (
  context: RegistryContext,
  target: ObjectTarget,
  body: ApiObject,
  options: WriteOptions,
) => Promise<void>

/** Every action that a schema may name: those of kinds are changes of one object, an eviction is more. */
const runners: ReadonlyMap<string, ActionRunner> = new Map<string, ActionRunner>([
  ...[...actions].map(([name, action]) => [name, runnerOf(action)] as const),
  ['evict', evictPod],
])

/** The action that answers with its body, completed: a token is issued. */
const tokenAction = 'requestToken'

/** True for the name of an action that the registry knows. */
export function isKnownAction(action: string): boolean {
  return runners.has(action) || action === tokenAction
}

/**
 * Does what a subresource stands for, such as binding, or a kind whose objects are forwarded to one.
 *
 * @throws StatusError NotFound, Invalid, or as admission or the action itself refuses.
 */
export async function act(
  context: RegistryContext,
  place: Target,
  body: Body,
  options: WriteOptions,
): Promise<ActionResult> {
  const target = objectTarget(actionTarget(context, place, body))
  const subresource = target.kind.subresources.find(({ name }) => name === target.subresource)
  const kind = subresource?.body?.()
  if (subresource?.action === tokenAction && kind !== undefined) {
    const { requestToken } = await import('./token-request.ts')
    return requestToken({ context, tokens: tokensOf(context), target, kind, options }, body)
  }
  const run = runners.get(subresource?.action ?? '')
  invariant(run !== undefined && kind !== undefined, 'only served subresources are routed')
  const draft = await readActionBody(context, target, kind, body, options)
  const { object, warnings } = draft
  const form = { kind, toAdmitted: same, fromAdmitted: same }
  const admission = beginAdmission({ context, target, options }, 'CREATE', form)
  const { admission: _, ...unadmitted } = context
  return settleAdmission(admission, async () => {
    const admitted = (await admission?.mutate(object)) ?? object
    await withWarnings(warnings, async () => {
      checkActionBody(target, kind, draft)
      await admission?.validate(admitted)
      await run(unadmitted, target, admitted, options)
    })
    return { warnings: [...warnings, ...(admission?.warnings ?? [])] }
  })
}

/** @throws StatusError ServiceUnavailable for a registry that was opened without a server around it. */
function tokensOf({ tokens }: RegistryContext): TokenService {
  if (tokens !== undefined) return tokens
  throw new StatusError('ServiceUnavailable', 'no tokens are issued here')
}

/** The target of an action: the path names it, or for a kind that is forwarded the name in the body. */
function actionTarget({ scheme }: RegistryContext, place: Target, { value }: Body): Target {
  const { forwardsTo, group, version } = place.kind
  if (forwardsTo === undefined || place.subresource !== undefined) return place
  const [plural, subresource = ''] = forwardsTo.split('/')
  const path = `${group === '' ? 'api' : `apis/${group}`}/${version}/${plural}`
  const kind = Object.hasOwn(scheme.routes, path) ? scheme.routes[path] : undefined
  if (kind === undefined)
    throw new StatusError('NotFound', `${place.kind.plural} have no ${plural}`)
  const metadata = isObject(value) ? value.metadata : undefined
  const name = isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : ''
  return { ...place, kind, name, subresource }
}

/** Decodes the body for its target. @throws StatusError BadRequest for another namespace. */
async function readActionBody(
  { scheme }: RegistryContext,
  target: ObjectTarget,
  kind: Kind,
  body: Body,
  { fieldValidation }: WriteOptions,
): Promise<Draft> {
  const value = withKnownVersion(kind, body.value)
  const draft = await decodeBody(scheme, { kind }, { ...body, value }, fieldValidation)
  return { ...draft, object: withRequestNamespace(target, draft.object) }
}

/** What is wrong with a body counts only where its namespace is. @throws StatusError BadRequest for another name, Invalid for field errors. */
function checkActionBody({ name }: ObjectTarget, kind: Kind, { object, fieldErrors }: Draft): void {
  if ((object.metadata.name ?? '') !== name)
    throw new StatusError('BadRequest', `name in URL does not match name in ${kind.kind} object`)
  if (fieldErrors.length > 0) throw invalid(kind, name, fieldErrors)
  if (name === '') throw invalid(kind, '', [nameRequired])
}

/** Plugins see the body of an action as it is. */
function same(body: ApiObject): ApiObject {
  return body
}

/** A body in another version of its group is taken for the one version that there is: actions have no history. */
function withKnownVersion(kind: Kind, value: Json): Json {
  if (!isObject(value) || typeof value.apiVersion !== 'string') return value
  const [group] = value.apiVersion.split('/')
  const other = kind.group !== '' && group === kind.group
  return other ? { ...value, apiVersion: apiVersionOf(kind) } : value
}

const nameRequired: FieldError = {
  path: 'metadata.name',
  reason: 'FieldValueRequired',
  message: 'Required value: name or generateName is required',
}

/**
 * The runner of an action that changes one object. Another write in between is no conflict: the action is applied to what
 * it
 * left, unless its body names a version.
 */
function runnerOf({ validate, apply }: Action): ActionRunner {
  return async (context, target, body, options) => {
    const { kind, name } = target
    const errors = validate(body)
    if (errors.length > 0) throw invalid({ group: '', kind: body.kind }, name, errors)
    const facts = {
      platform: context.scheme.platform,
      now: context.clock.now(),
      gates: context.gates,
    }
    const result = await guaranteedUpdate({ context, target, options }, (current) => {
      const changed = apply(current.object(), body, facts)
      if (typeof changed === 'string') throw actionConflict(target, changed)
      return draftOf(changed, body)
    })
    if (result === undefined) throw notFound(kind, name)
  }
}

/** The changed object, under the preconditions that the body of the action names. */
function draftOf(changed: ApiObject, { metadata: { uid, resourceVersion } }: ApiObject): Draft {
  const { metadata } = changed
  const version = resourceVersion || metadata.resourceVersion || ''
  const object = {
    ...changed,
    metadata: { ...metadata, resourceVersion: version, ...(uid && { uid }) },
  }
  return { object, fieldErrors: [], warnings: [] }
}

/** The 409 of an action that the state of the object does not allow. */
function actionConflict({ kind, name, subresource }: ObjectTarget, why: string): StatusError {
  return conflict({ ...kind, plural: `${kind.plural}/${subresource}` }, name, why)
}
