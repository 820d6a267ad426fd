/** The admission of a request: its attributes, and the form in which plugins see its object. */
import type { AdmissionPass, Operation } from '../../admission/admission.ts'
import { inProcessUser } from '../../auth/auth.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext, WriteCall } from '../contract/context.ts'
import type { DeleteOptions, Target, WriteOptions } from '../contract/contract.ts'
import { requestNamespace } from '../storage/keys.ts'

/** The form in which plugins see an object, where a request is about another object than the one it stores. */
export interface AdmittedForm {
  readonly kind: Kind
  readonly toAdmitted: (object: ApiObject) => ApiObject
  readonly fromAdmitted: (shown: ApiObject, object: ApiObject) => ApiObject
}

/** The admission of one attempt to write. Objects are shown to plugins in their admitted form. */
export interface WriteAdmission extends SettledAdmission {
  /** The object as the mutating plugins leave it; the very same one if they change nothing. */
  mutate(object: ApiObject, old?: ApiObject): Promise<ApiObject>
  /** @throws StatusError as the first plugin that refuses. */
  validate(object: ApiObject, old?: ApiObject): Promise<void>
}

/** What the end of an attempt needs of its admission. */
type SettledAdmission = Pick<AdmissionPass, 'warnings' | 'annotations' | 'settle'>

/** Begins the admission of a creation or an update; undefined where no plugin looks at it. */
export function beginAdmission(
  { context, target, options }: WriteCall,
  operation: Operation,
  form?: AdmittedForm,
): WriteAdmission | undefined {
  const kind = form?.kind ?? target.kind
  const requestOptions = writeOptionsOf(context.scheme, operation, options)
  const pass = context.admission?.begin({
    ...attributesOf(target, options),
    ...{ operation, kind, options: requestOptions },
  })
  return pass && (form === undefined ? pass : inForm(pass, form))
}

/** The options of a write as plugins and webhooks see them: a patch is shown as what it comes to. */
function writeOptionsOf(
  { platform }: Scheme,
  operation: Operation,
  { dryRun, said }: WriteOptions,
): JsonObject {
  return {
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: `meta.${platform.api}/v1`,
    ...(dryRun && { dryRun: ['All'] }),
    ...said,
  }
}

/** A pass that shows objects in another form, and takes back only what the form can change. */
function inForm(pass: AdmissionPass, { toAdmitted, fromAdmitted }: AdmittedForm): WriteAdmission {
  return {
    get warnings() {
      return pass.warnings
    },
    get annotations() {
      return pass.annotations
    },
    settle: (stored) => pass.settle(stored),
    async mutate(object, old) {
      const shown = toAdmitted(object)
      const changed = await pass.mutate(shown, old && toAdmitted(old))
      return changed === shown ? object : fromAdmitted(changed, object)
    },
    validate: (object, old) => pass.validate(toAdmitted(object), old && toAdmitted(old)),
  }
}

/** Begins the admission of a deletion; undefined where no plugin looks at it. */
export function beginDeletionAdmission(
  { admission, scheme }: RegistryContext,
  target: Target,
  options: DeleteOptions,
): AdmissionPass | undefined {
  return admission?.begin({
    ...attributesOf(target, options),
    operation: 'DELETE',
    kind: target.kind,
    options: deleteOptionsOf(scheme, options),
  })
}

function deleteOptionsOf(
  { platform }: Scheme,
  { dryRun, gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions,
): JsonObject {
  return {
    kind: 'DeleteOptions',
    apiVersion: `meta.${platform.api}/v1`,
    ...(dryRun && { dryRun: ['All'] }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(preconditions && { preconditions }),
  }
}

/** The attributes that all operations have. A request without a user is the server's own. */
function attributesOf(
  target: Target,
  { dryRun, user = inProcessUser, trace }: Pick<WriteOptions, 'dryRun' | 'trace' | 'user'>,
) {
  const { kind: resource, name, subresource } = target
  const namespace = requestNamespace(target)
  return {
    resource,
    user,
    dryRun,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(trace && { trace }),
  }
}

/** The warnings of a request that failed, and the audit annotations of plugins. */
export interface AdmissionNotes {
  readonly warnings: readonly string[]
  readonly annotations: AdmissionPass['annotations']
}

/** Notes by the error of the request: a refusal is thrown through callers that know nothing of admission. */
const notesByError = new WeakMap<object, AdmissionNotes>()

/** Runs the rest of a request whose sender was warned already: an error can be asked for the warnings, too. */
export async function withWarnings<T>(
  warnings: readonly string[],
  step: () => Promise<T>,
): Promise<T> {
  if (warnings.length === 0) return step()
  try {
    return await step()
  } catch (error) {
    if (error instanceof Error) note(error, { warnings, annotations: new Map() })
    throw error
  }
}

/** Adds to what is known of an error. */
function note(error: Error, { warnings, annotations }: AdmissionNotes): void {
  const known = notesByError.get(error)
  const all = [...(known?.warnings ?? []), ...warnings]
  notesByError.set(error, { warnings: all, annotations })
}

/** What was noted of a request before it failed with this error. */
export function admissionNotesOf(error: unknown): AdmissionNotes | undefined {
  return typeof error === 'object' && error !== null ? notesByError.get(error) : undefined
}

/**
 * Runs an admitted request and settles its admission with the outcome. The result has the audit annotations of the plugins;
 * an error can be asked for them and for the warnings with `admissionNotesOf`.
 */
export async function settleAdmission<T extends object | undefined>(
  begun: SettledAdmission | undefined,
  step: () => Promise<T>,
): Promise<T> {
  if (begun === undefined) return step()
  try {
    const result = await step()
    await begun.settle(result !== undefined)
    const { annotations } = begun
    return result === undefined || annotations.size === 0 ? result : { ...result, annotations }
  } catch (error) {
    if (error instanceof Error) note(error, begun)
    await begun.settle(false)
    throw error
  }
}
