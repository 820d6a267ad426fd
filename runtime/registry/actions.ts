import { invariant } from '../kernel/invariant.ts'
import { isObject, type Json } from '../kernel/json.ts'
import type { Kind } from '../kernel/kind.ts'
import { type ApiObject, apiVersionOf } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { StatusError } from '../kernel/status.ts'
import { type Action, actions } from '../kinds/kinds.ts'
import { admitting, mutated, settling, validated } from './admit.ts'
import { change } from './change.ts'
import type { Context } from './context.ts'
import { checkName, decodeBody, inNamespace } from './decode.ts'
import { conflict, invalid, notFound } from './errors.ts'
import { evict } from './evict.ts'
import type { Acted, Body, Target, WriteOptions } from './registry.ts'

/** Carries an action out. `order` is its body: of its kind, in its place, without findings. */
type Run = (
  context: Context,
  target: Target,
  order: ApiObject,
  options: WriteOptions,
) => Promise<void>

const runs: ReadonlyMap<string, Run> = new Map<string, Run>([
  ...[...actions].map(([name, action]) => [name, changing(action)] as const),
  ['evict', evict],
])

/** True for the name of an action that the registry knows. */
export function acts(action: string): boolean {
  return runs.has(action)
}

/**
 * Does what a subresource stands for, or a kind whose objects are orders for one. Fails with NotFound, Invalid, or as the
 * action itself does.
 */
export async function act(
  context: Context,
  place: Target,
  body: Body,
  options: WriteOptions,
): Promise<Acted> {
  const target = addressee(context, place, body)
  const fact = target.kind.subresources.find(({ name }) => name === target.subresource)
  const run = runs.get(fact?.action ?? '')
  const kind = fact?.body?.()
  invariant(run !== undefined && kind !== undefined, 'only served subresources are routed')
  const read = decodeBody(
    { kind },
    { ...body, value: inVersionOf(kind, body.value) },
    options.fieldValidation,
  )
  const order = inNamespace(target, named(read.object, target))
  if (target.name === '') throw invalid(kind, '', [nameless])
  checkName(target, order)
  if (read.findings.length > 0) throw invalid(kind, target.name ?? '', read.findings)
  const guise = { kind, show: same, take: same }
  const way = admitting(context, target, 'CREATE', options, guise)
  const { admission, ...bare } = context
  return settling(way?.case, async () => {
    const admitted = await mutated(way, order)
    await validated(way, admitted)
    await run(bare, target, admitted, options)
    return { warnings: [...read.warnings, ...(way?.case.warnings ?? [])] }
  })
}

/** What an order is about: the path says it, or for a kind of orders the name in the body. */
function addressee({ tree }: Context, place: Target, { value }: Body): Target {
  const { orders, group, version } = place.kind
  if (orders === undefined || place.subresource !== undefined) return place
  const [plural, subresource = ''] = orders.split('/')
  const path = `${group === '' ? 'api' : `apis/${group}`}/${version}/${plural}`
  const kind = Object.hasOwn(tree.routes, path) ? tree.routes[path] : undefined
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

const nameless: Finding = {
  path: 'metadata.name',
  reason: 'FieldValueRequired',
  message: 'Required value: name or generateName is required',
}

/** A body without a name is about the object of the path. */
function named(order: ApiObject, { name = '' }: Target): ApiObject {
  return order.metadata.name ? order : { ...order, metadata: { ...order.metadata, name } }
}

function changing({ validate, apply }: Action): Run {
  return async (context, target, order, options) => {
    const { kind, name = '' } = target
    const findings = validate(order)
    if (findings.length > 0) throw invalid({ group: '', kind: order.kind }, name, findings)
    const { uid, resourceVersion } = order.metadata
    const rules = {
      platform: context.tree.platform,
      now: context.clock.now(),
      gates: context.gates,
    }
    const written = await change(context, target, options, (current) => {
      const old = current.object()
      const result = apply(old, order, rules)
      if (typeof result === 'string') throw refused(target, result)
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

function refused({ kind, name = '', subresource }: Target, why: string): StatusError {
  return conflict({ ...kind, plural: `${kind.plural}/${subresource}` }, name, why)
}
