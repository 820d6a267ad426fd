import { type Action, actions } from '../../apis/apis.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { ActionResult, Body, Target, WriteOptions } from '../contract/contract.ts'
import { conflict, invalid, notFound } from '../contract/errors.ts'
import { beginAdmission, settleAdmission } from '../strategy/admission.ts'
import { checkName, decodeBody, withRequestNamespace } from '../strategy/decode.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { evictPod } from './eviction.ts'

/** Carries an action out. `order` is its body: of its kind, in its place, without findings. */
type ActionRunner = (
  context: RegistryContext,
  target: Target,
  order: ApiObject,
  options: WriteOptions,
) => Promise<void>

const runners: ReadonlyMap<string, ActionRunner> = new Map<string, ActionRunner>([
  ...[...actions].map(([name, action]) => [name, runnerOf(action)] as const),
  ['evict', evictPod],
])

/** True for the name of an action that the registry knows. */
export function isKnownAction(action: string): boolean {
  return runners.has(action)
}

/**
 * Does what a subresource stands for, or a kind whose objects are orders for one. Fails with NotFound, Invalid, or as the
 * action itself does.
 */
export async function act(
  context: RegistryContext,
  place: Target,
  body: Body,
  options: WriteOptions,
): Promise<ActionResult> {
  const target = actionTarget(context, place, body)
  const fact = target.kind.subresources.find(({ name }) => name === target.subresource)
  const run = runners.get(fact?.action ?? '')
  const kind = fact?.body?.()
  invariant(run !== undefined && kind !== undefined, 'only served subresources are routed')
  const read = decodeBody(
    { kind },
    { ...body, value: inVersionOf(kind, body.value) },
    options.fieldValidation,
  )
  const order = withRequestNamespace(target, withTargetName(read.object, target))
  if (target.name === '') throw invalid(kind, '', [nameRequired])
  checkName(target, order)
  if (read.findings.length > 0) throw invalid(kind, target.name ?? '', read.findings)
  const form = { kind, toAdmitted: same, fromAdmitted: same }
  const admission = beginAdmission(context, target, 'CREATE', options, form)
  const { admission: _, ...unadmitted } = context
  return settleAdmission(admission, async () => {
    const admitted = (await admission?.mutate(order)) ?? order
    await admission?.validate(admitted)
    await run(unadmitted, target, admitted, options)
    return { warnings: [...read.warnings, ...(admission?.warnings ?? [])] }
  })
}

/** What an order is about: the path says it, or for a kind of orders the name in the body. */
function actionTarget({ scheme }: RegistryContext, place: Target, { value }: Body): Target {
  const { forwardsTo: orders, group, version } = place.kind
  if (orders === undefined || place.subresource !== undefined) return place
  const [plural, subresource = ''] = orders.split('/')
  const path = `${group === '' ? 'api' : `apis/${group}`}/${version}/${plural}`
  const kind = Object.hasOwn(scheme.routes, path) ? scheme.routes[path] : undefined
  if (kind === undefined)
    throw new StatusError('NotFound', `${place.kind.plural} have no ${plural}`)
  const metadata = isObject(value) ? value.metadata : undefined
  const name = isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : ''
  return { ...place, kind, name, subresource }
}

/** Orders are admitted as they are. */
function same(order: ApiObject): ApiObject {
  return order
}

/** A body in another version of its group is taken for the one version that there is: actions have no history. */
function inVersionOf(kind: Kind, value: Json): Json {
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

/** A body without a name is about the object of the path. */
function withTargetName(order: ApiObject, { name = '' }: Target): ApiObject {
  return order.metadata.name ? order : { ...order, metadata: { ...order.metadata, name } }
}

function runnerOf({ validate, apply }: Action): ActionRunner {
  return async (context, target, order, options) => {
    const { kind, name = '' } = target
    const findings = validate(order)
    if (findings.length > 0) throw invalid({ group: '', kind: order.kind }, name, findings)
    const { uid, resourceVersion } = order.metadata
    const rules = {
      platform: context.scheme.platform,
      now: context.clock.now(),
      gates: context.gates,
    }
    const written = await guaranteedUpdate(context, target, options, (current) => {
      const old = current.object()
      const result = apply(old, order, rules)
      if (typeof result === 'string') throw actionConflict(target, result)
      const { metadata } = result
      const version = resourceVersion || metadata.resourceVersion || ''
      const object = {
        ...result,
        metadata: { ...metadata, resourceVersion: version, ...(uid && { uid }) },
      }
      return { object, findings: [], warnings: [] }
    })
    if (written === undefined) throw notFound(kind, name)
  }
}

function actionConflict({ kind, name = '', subresource }: Target, why: string): StatusError {
  return conflict({ ...kind, plural: `${kind.plural}/${subresource}` }, name, why)
}
