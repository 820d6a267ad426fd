/** Tokens of service accounts, on request (supplement N-11). */
import type { ServiceAccount } from '../../../generated/apis/core/v1/service-account.ts'
import type { AccountClaims, TokenService } from '../../auth/auth.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { invalid as invalidField } from '../../kernel/validation/field-errors.ts'
import type { Json } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { ActionResult, Body, ObjectTarget, WriteOptions } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import { itemOfObject } from '../storage/item.ts'
import { beginAdmission, settleAdmission } from '../strategy/admission.ts'
import { type Draft, decodeBody, readTyped } from '../strategy/decode.ts'
import {
  managedFieldsOf,
  managedFieldsOnCreate,
  withManagedFields,
} from '../strategy/managed-fields.ts'
import { withRequestNamespace } from '../strategy/request-identity.ts'
import { get } from '../verbs/get.ts'

/** What a request asks for, once its defaults are in. */
interface TokenRequest extends ApiObject {
  readonly spec: {
    readonly audiences: readonly string[]
    readonly expirationSeconds: number
    readonly boundObjectRef?: BoundObjectReference
  }
}

interface BoundObjectReference {
  readonly kind?: string
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

/** One request for a token. */
interface TokenCall {
  readonly context: RegistryContext
  readonly tokens: TokenService
  readonly target: ObjectTarget
  readonly kind: Kind
  readonly options: WriteOptions
}

/** Seconds that pods ask for by default, which name tokens whose time is extended. */
const podDefaultSeconds = 3607

/** Seconds that such a token stays good. */
const extendedSeconds = 365 * 24 * 60 * 60

const nodeBindingGate = 'ServiceAccountTokenNodeBinding'

/**
 * Issues a token for the account of the target. A dry run is given one like any other request, as it is stored nowhere.
 *
 * @throws StatusError NotFound for what is not there, BadRequest for what a token cannot be bound to, Conflict for an object of
 *   another uid, Invalid, or as admission refuses.
 */
export async function requestToken(call: TokenCall, body: Body): Promise<ActionResult> {
  const { context, target, kind, options } = call
  const draft = await decodeBody(context.scheme, { kind }, body, options.fieldValidation)
  const sent = withRequestNamespace(target, draft.object)
  checkRequestName(call, sent)
  const item = await get(context, accountTarget(target), {})
  const account = item.object() as Stored<ApiObject> & ServiceAccount
  const issued = context.clock.now()
  const request = await withDefaults(call, { ...draft, object: sent }, issued)
  const form = { kind, toAdmitted: same, fromAdmitted: same }
  const admission = beginAdmission({ context, target, options }, 'CREATE', form)
  return settleAdmission(admission, async () => {
    const changed = (await admission?.mutate(request)) ?? request
    const admitted = readTyped(kind, changed as unknown as Json)
    checkExpiration(kind, admitted.object as TokenRequest)
    await admission?.validate(admitted.object)
    const { object, warnings } = await issue(call, admitted.object as TokenRequest, account, issued)
    return {
      item: itemOfObject(withManagedFields(object, managedFieldsOf(request))),
      warnings: [...draft.warnings, ...(admission?.warnings ?? []), ...warnings],
    }
  })
}

function same(body: ApiObject): ApiObject {
  return body
}

function accountTarget({ subresource: _, ...target }: ObjectTarget): ObjectTarget {
  return target
}

/** The name in the body may be left out. */
function checkRequestName({ kind, target: { name } }: TokenCall, { metadata }: ApiObject): void {
  if (!metadata.name || metadata.name === name) return
  const why = 'must match the service account name if specified'
  throw invalid(kind, name, [invalidField('metadata.name', metadata.name, why)])
}

/** The request with its metadata, its managed fields, and the audiences of this server if it names none. */
async function withDefaults(
  { context, tokens, target, kind, options }: TokenCall,
  { object, fieldErrors, large = false }: Draft,
  issued: number,
): Promise<ApiObject> {
  const missing = fieldErrors.filter(({ reason }) => reason !== 'FieldValueRequired')
  if (missing.length > 0) throw invalid(kind, '', missing)
  const { spec, status: _, ...rest } = object as Partial<TokenRequest> & { status?: unknown }
  const { namespace } = target
  const metadata = {
    ...object.metadata,
    name: target.name,
    ...(namespace !== undefined && { namespace }),
    creationTimestamp: timestamp(issued),
  }
  const tracked = { ...rest, metadata: object.metadata, spec } as ApiObject
  const { subresource, ...place } = { ...target, kind }
  const { manager } = options
  const managed = await managedFieldsOnCreate(context, place, tracked, {
    requested: object,
    manager,
    large,
    valid: true,
  })
  const audiences = spec?.audiences?.length ? spec.audiences : tokens.apiAudiences
  const whole = { ...rest, metadata, spec: { ...spec, audiences } } as unknown as ApiObject
  return withManagedFields(
    whole,
    managed.map((record) => ({ ...record, ...(subresource && { subresource }) })),
  )
}

function checkExpiration(kind: Kind, { spec: { expirationSeconds: seconds } }: TokenRequest): void {
  const path = 'spec.expirationSeconds'
  if (seconds < 600) {
    const why = 'may not specify a duration less than 10 minutes'
    throw invalid(kind, '', [invalidField(path, seconds, why)])
  }
  if (seconds > 2 ** 32) {
    const why = 'may not specify a duration larger than 2^32 seconds'
    throw invalid(kind, '', [invalidField(path, seconds, why)])
  }
}

/** What was issued, and what is to be said of it. */
interface Issued {
  readonly object: ApiObject
  readonly warnings: readonly string[]
}

async function issue(
  call: TokenCall,
  request: TokenRequest,
  account: Stored<ApiObject>,
  issued: number,
): Promise<Issued> {
  const { context, tokens } = call
  const bound = await boundObject(call, request.spec.boundObjectRef)
  const { seconds, warnings } = shortened(request.spec.expirationSeconds, tokens)
  const isExtended = bound.pod !== undefined && isPodDefault(request, seconds, tokens)
  const now = Math.floor(issued / 1000)
  const content = {
    account: {
      namespace: account.metadata.namespace ?? '',
      ...bound,
      serviceaccount: claimOf(account),
      ...(isExtended && { warnafter: now + seconds }),
    },
    audiences: request.spec.audiences,
    issued: now,
    expires: now + (isExtended ? extendedSeconds : seconds),
    ...(context.gates.has('ServiceAccountTokenJTI') && { id: context.uid() }),
  }
  const token = await tokens.issuer.sign(content)
  const status = { token, expirationTimestamp: timestamp(issued + seconds * 1000) }
  const spec = { ...request.spec, expirationSeconds: seconds }
  const { object } = readTyped(call.kind, { ...request, spec, status } as unknown as Json)
  return { object, warnings }
}

function claimOf({ metadata: { name = '', uid } }: Stored<ApiObject>): {
  name: string
  uid: string
} {
  return { name, uid: uid ?? '' }
}

/** The seconds that are granted of those that are asked for. */
function shortened(
  asked: number,
  { issuer: { maxExpirationSeconds: most = 0 } }: TokenService,
): { readonly seconds: number; readonly warnings: readonly string[] } {
  if (most <= 0 || asked <= most) return { seconds: asked, warnings: [] }
  const text = `requested expiration of ${asked} seconds shortened to ${most} seconds`
  return { seconds: most, warnings: [text] }
}

/** True for a token as admission asks for it on behalf of pods. */
function isPodDefault(
  { spec: { audiences } }: TokenRequest,
  seconds: number,
  { apiAudiences, issuer: { extendsExpiration } }: TokenService,
): boolean {
  const own = audiences.every((one) => apiAudiences.includes(one))
  return extendsExpiration && seconds === podDefaultSeconds && own
}

type Bound = Pick<AccountClaims, 'node' | 'pod' | 'secret'>

/** The object that a token is bound to, as its claims name it. */
async function boundObject(
  call: TokenCall,
  reference: BoundObjectReference | undefined,
): Promise<Bound> {
  if (reference === undefined || reference === null) return {}
  const { kind = '', apiVersion = '', uid, name = '' } = reference
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const bind = group === '' ? binders.get(kind) : undefined
  if (bind === undefined) {
    throw new StatusError(
      'BadRequest',
      `cannot bind token to object of type ${group}/${version}, Kind=${kind}`,
    )
  }
  const { bound, found } = await bind(call, name)
  if (uid && found.metadata.uid !== uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw new StatusError(
      'Conflict',
      `Operation cannot be fulfilled on ${kind} "${name}": ${why}`,
      {
        details: { name, kind },
      },
    )
  }
  return bound
}

interface Binding {
  readonly found: Stored<ApiObject>
  readonly bound: Bound
}

/** By the kind of the object. */
const binders: ReadonlyMap<string, (call: TokenCall, name: string) => Promise<Binding>> = new Map([
  ['Pod', bindPod],
  ['Node', bindNode],
  ['Secret', bindSecret],
])

async function bindPod(call: TokenCall, name: string): Promise<Binding> {
  const found = await stored(call, 'pods', name, call.target.namespace)
  const { serviceAccountName, nodeName } = (found as { spec?: Record<string, string> }).spec ?? {}
  if (serviceAccountName !== call.target.name) {
    throw new StatusError(
      'BadRequest',
      `cannot bind token for serviceaccount ${quoted(call.target.name)} to pod running with different serviceaccount name.`,
    )
  }
  const pod = claimOf(found)
  if (!nodeName || !call.context.gates.has('ServiceAccountTokenPodNodeInfo')) {
    return { found, bound: { pod } }
  }
  const node = await stored(call, 'nodes', nodeName).then(claimOf, () => ({
    name: nodeName,
    uid: '',
  }))
  return { found, bound: { pod, node } }
}

async function bindNode(call: TokenCall, name: string): Promise<Binding> {
  if (!call.context.gates.has(nodeBindingGate)) {
    throw new StatusError(
      'BadRequest',
      `cannot bind token to a Node object as the "${nodeBindingGate}" feature-gate is disabled`,
    )
  }
  const found = await stored(call, 'nodes', name)
  return { found, bound: { node: claimOf(found) } }
}

async function bindSecret(call: TokenCall, name: string): Promise<Binding> {
  const found = await stored(call, 'secrets', name, call.target.namespace)
  return { found, bound: { secret: claimOf(found) } }
}

async function stored(
  { context }: TokenCall,
  plural: string,
  name: string,
  namespace?: string,
): Promise<Stored<ApiObject>> {
  const path = `api/v1/${plural}`
  const kind = Object.hasOwn(context.scheme.routes, path) ? context.scheme.routes[path] : undefined
  if (kind === undefined) throw new StatusError('NotFound', `${plural} "${name}" not found`)
  const target = { kind, name, ...(namespace !== undefined && { namespace }) }
  return (await get(context, target, {})).object()
}
