/** The admission of a request: its attributes, and the form in which plugins see its object. */
import type { Admission, AdmissionPass, Operation } from '../../admission/admission.ts'
import { inProcessUser, type UserInfo } from '../../auth/auth.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
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
  { admission, scheme }: RegistryContext,
  target: Target,
  operation: Operation,
  options: WriteOptions,
  form?: AdmittedForm,
): WriteAdmission | undefined {
  if (admission === undefined) return undefined
  const { dryRun, manager, fieldValidation, force, patching } = options
  const kind =
    operation === 'CREATE' ? 'CreateOptions' : patching ? 'PatchOptions' : 'UpdateOptions'
  const pass = beginPass(admission, target, operation, form?.kind ?? target.kind, options, {
    kind,
    apiVersion: `meta.${scheme.platform.api}/v1`,
    ...(dryRun && { dryRun: ['All'] }),
    ...(kind === 'PatchOptions' && force !== undefined && { force }),
    fieldManager: manager,
    fieldValidation,
  })
  return pass && (form === undefined ? pass : inForm(pass, form))
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

/** `options` are those of the request, as their options kind writes them: plugins and webhooks see them so. */
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
    user,
    dryRun,
    options,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(name && { name }),
  })
}

/** The warnings and audit annotations of plugins. */
export interface AdmissionNotes {
  readonly warnings: readonly string[]
  readonly annotations: AdmissionPass['annotations']
}

/** Notes by the error of the request: a refusal is thrown through callers that know nothing of admission. */
const notesByError = new WeakMap<object, AdmissionNotes>()

/** What plugins had noted of a request before it failed with this error. */
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
    const { warnings, annotations } = begun
    if (error instanceof Error) notesByError.set(error, { warnings, annotations })
    await begun.settle(false)
    throw error
  }
}
