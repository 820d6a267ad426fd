/** How the verbs ask for admission: what a request is called there, and in which form its object is shown. */
import { type Admission, type Case, type Operation, systemCaller } from '../admission/admission.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Kind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Context } from './context.ts'
import { namespaceOf } from './keys.ts'
import type { Caller, DeleteOptions, Target, WriteOptions } from './registry.ts'

export { systemCaller } from '../admission/admission.ts'

/** The form in which an object is admitted, where a request is about another one than it stores. */
export interface Guise {
  readonly kind: Kind
  readonly show: (object: ApiObject) => ApiObject
  readonly take: (shown: ApiObject, object: ApiObject) => ApiObject
}

/** The admission of one attempt to write; undefined where nobody looks at it. */
export interface Admitting {
  readonly case: Case
  readonly guise?: Guise
}

/** Begins the admission of a creation or a change. */
export function admitting(
  { admission, tree }: Context,
  target: Target,
  operation: Operation,
  options: WriteOptions,
  guise?: Guise,
): Admitting | undefined {
  if (admission === undefined) return undefined
  const { dryRun, manager, fieldValidation, force, patching } = options
  const kind =
    operation === 'CREATE' ? 'CreateOptions' : patching ? 'PatchOptions' : 'UpdateOptions'
  const begun = begin(admission, target, operation, guise?.kind ?? target.kind, options, {
    kind,
    apiVersion: `meta.${tree.platform.api}/v1`,
    ...(dryRun && { dryRun: ['All'] }),
    ...(kind === 'PatchOptions' && force !== undefined && { force }),
    fieldManager: manager,
    fieldValidation,
  })
  return begun && { case: begun, ...(guise && { guise }) }
}

/** Begins the admission of a deletion. */
export function admittingDeletion(
  { admission, tree }: Context,
  target: Target,
  options: DeleteOptions,
): Case | undefined {
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = options
  return (
    admission &&
    begin(admission, target, 'DELETE', target.kind, options, {
      kind: 'DeleteOptions',
      apiVersion: `meta.${tree.platform.api}/v1`,
      ...(dryRun && { dryRun: ['All'] }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(propagationPolicy && { propagationPolicy }),
      ...(preconditions && { preconditions }),
    })
  )
}

function begin(
  admission: Admission,
  target: Target,
  operation: Operation,
  kind: Kind,
  { dryRun, caller = systemCaller }: { readonly dryRun: boolean; readonly caller?: Caller },
  options: JsonObject,
): Case | undefined {
  const { kind: resource, name, subresource } = target
  const namespace = namespaceOf(target)
  return admission.begin({
    operation,
    resource,
    kind,
    caller,
    dryRun,
    options,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(name && { name }),
  })
}

/** Passes an object by the mutating plugins, in its guise. */
export async function mutated(
  way: Admitting | undefined,
  object: ApiObject,
  old?: ApiObject,
): Promise<ApiObject> {
  if (way === undefined) return object
  const { guise } = way
  if (guise === undefined) return way.case.mutate(object, old)
  const shown = guise.show(object)
  const changed = await way.case.mutate(shown, old && guise.show(old))
  return changed === shown ? object : guise.take(changed, object)
}

/** Passes an object by the validating plugins, in its guise. */
export async function validated(
  way: Admitting | undefined,
  object: ApiObject,
  old?: ApiObject,
): Promise<void> {
  if (way === undefined) return
  const { guise } = way
  const show = guise?.show ?? ((one: ApiObject) => one)
  await way.case.validate(show(object), old && show(old))
}

/** What plugins said of a request beside allowing, changing or refusing it. */
export interface Said {
  readonly warnings: readonly string[]
  readonly annotations: Case['annotations']
}

const said = new WeakMap<object, Said>()

/** What plugins had said of a request before it failed with this error. */
export function saidBefore(error: unknown): Said | undefined {
  return typeof error === 'object' && error !== null ? said.get(error) : undefined
}

/**
 * Does the last step of an admitted request, and tells its admission how it ended. What the plugins noted goes with the
 * result; with a refusal, too, what they warned of.
 */
export async function settling<T extends object | undefined>(
  begun: Case | undefined,
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
    if (error instanceof Error) said.set(error, { warnings, annotations })
    await begun.settle(false)
    throw error
  }
}
