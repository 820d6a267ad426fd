/** How the verbs ask for admission: what a request is called there, and in which form its object is shown. */
import type { Admission, AdmissionPass, Operation } from '../../admission/admission.ts'
import { inProcessUser, type UserInfo } from '../../auth/auth.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../context.ts'
import type { DeleteOptions, Target, WriteOptions } from '../registry.ts'
import { requestNamespace } from '../storage/keys.ts'

/** The form in which an object is admitted, where a request is about another one than it stores. */
export interface AdmittedForm {
  readonly kind: Kind
  readonly toAdmitted: (object: ApiObject) => ApiObject
  readonly fromAdmitted: (shown: ApiObject, object: ApiObject) => ApiObject
}

/** The admission of one attempt to write; undefined where nobody looks at it. */
export interface WriteAdmission {
  readonly case: AdmissionPass
  readonly guise?: AdmittedForm
}

/** Begins the admission of a creation or a change. */
export function beginAdmission(
  { admission, scheme }: RegistryContext,
  target: Target,
  operation: Operation,
  options: WriteOptions,
  guise?: AdmittedForm,
): WriteAdmission | undefined {
  if (admission === undefined) return undefined
  const { dryRun, manager, fieldValidation, force, patching } = options
  const kind =
    operation === 'CREATE' ? 'CreateOptions' : patching ? 'PatchOptions' : 'UpdateOptions'
  const begun = beginPass(admission, target, operation, guise?.kind ?? target.kind, options, {
    kind,
    apiVersion: `meta.${scheme.platform.api}/v1`,
    ...(dryRun && { dryRun: ['All'] }),
    ...(kind === 'PatchOptions' && force !== undefined && { force }),
    fieldManager: manager,
    fieldValidation,
  })
  return begun && { case: begun, ...(guise && { guise }) }
}

/** Begins the admission of a deletion. */
export function beginDeletionAdmission(
  { admission, scheme }: RegistryContext,
  target: Target,
  options: DeleteOptions,
): AdmissionPass | undefined {
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = options
  return (
    admission &&
    beginPass(admission, target, 'DELETE', target.kind, options, {
      kind: 'DeleteOptions',
      apiVersion: `meta.${scheme.platform.api}/v1`,
      ...(dryRun && { dryRun: ['All'] }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(propagationPolicy && { propagationPolicy }),
      ...(preconditions && { preconditions }),
    })
  )
}

function beginPass(
  admission: Admission,
  target: Target,
  operation: Operation,
  kind: Kind,
  { dryRun, user = inProcessUser }: { readonly dryRun: boolean; readonly user?: UserInfo },
  options: JsonObject,
): AdmissionPass | undefined {
  const { kind: resource, name, subresource } = target
  const namespace = requestNamespace(target)
  return admission.begin({
    operation,
    resource,
    kind,
    caller: user,
    dryRun,
    options,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(name && { name }),
  })
}

/** Passes an object by the mutating plugins, in its guise. */
export async function runMutatingAdmission(
  way: WriteAdmission | undefined,
  object: ApiObject,
  old?: ApiObject,
): Promise<ApiObject> {
  if (way === undefined) return object
  const { guise } = way
  if (guise === undefined) return way.case.mutate(object, old)
  const shown = guise.toAdmitted(object)
  const changed = await way.case.mutate(shown, old && guise.toAdmitted(old))
  return changed === shown ? object : guise.fromAdmitted(changed, object)
}

/** Passes an object by the validating plugins, in its guise. */
export async function runValidatingAdmission(
  way: WriteAdmission | undefined,
  object: ApiObject,
  old?: ApiObject,
): Promise<void> {
  if (way === undefined) return
  const { guise } = way
  const show = guise?.toAdmitted ?? ((one: ApiObject) => one)
  await way.case.validate(show(object), old && show(old))
}

/** What plugins said of a request beside allowing, changing or refusing it. */
export interface AdmissionNotes {
  readonly warnings: readonly string[]
  readonly annotations: AdmissionPass['annotations']
}

const notesByError = new WeakMap<object, AdmissionNotes>()

/** What plugins had said of a request before it failed with this error. */
export function admissionNotesOf(error: unknown): AdmissionNotes | undefined {
  return typeof error === 'object' && error !== null ? notesByError.get(error) : undefined
}

/**
 * Does the last step of an admitted request, and tells its admission how it ended. What the plugins noted goes with the
 * result; with a refusal, too, what they warned of.
 */
export async function settleAdmission<T extends object | undefined>(
  begun: AdmissionPass | undefined,
  step: () => Promise<T>,
): Promise<T> {
  if (begun === undefined) return step()
  try {
    const result = await step()
    await begun.settle(result !== undefined)
    const { annotations } = begun
    return result === undefined || annotations.size === 0 ? result : { ...result, annotations }
  } catch (error) {
    const { warnings, annotations } = begun
    if (error instanceof Error) notesByError.set(error, { warnings, annotations })
    await begun.settle(false)
    throw error
  }
}
