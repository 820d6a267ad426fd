import type { JsonPatch } from '../../client/client.ts'
import { type Kind, resourceName } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { stepsOf } from '../changes/field-paths.ts'
import {
  isWithin,
  printSteps,
  type Steps,
  undeclaredField,
  undeclaredStep,
} from '../changes/written-fields.ts'
import type { Writing } from './writing.ts'

/** The fields of a kind that a controller declares. */
export interface DeclaredFields extends Writing {
  /** True if it also makes and deletes objects of the kind. */
  readonly makes?: boolean
}

/** The error of a call that writes what is not declared; undefined for any other call. */
export type Refusal = (verb: string, given: readonly unknown[]) => StatusError | undefined

/** What says of an object which one it is, and as of when: it may stand in every write. */
const identity = [
  ...['apiVersion', 'kind', 'metadata.name', 'metadata.namespace', 'metadata.uid'],
  'metadata.resourceVersion',
].map(stepsOf)

const status: Steps = ['status']
/** An object as a whole. */
const whole: Steps = []

/** Refuses writes of other fields, and of whole objects unless the controller makes them. */
export function fieldsRefusal(
  controller: string,
  kind: Kind,
  { fields, makes = false }: DeclaredFields,
): Refusal {
  const declared = [...identity, ...fields.map(stepsOf)]
  const ofStatus = declared.some((one) => isWithin(status, one)) ? undefined : status
  const undeclared = (verb: string, [first, second]: readonly unknown[]): Steps | undefined => {
    if (verb === 'apply') return undeclaredField(first, declared)
    if (verb === 'mergePatch') return undeclaredField(second, declared)
    if (verb === 'jsonPatch') return undeclaredStep(second as JsonPatch, declared)
    if (verb === 'updateStatus') return ofStatus
    if (verb === 'update') return isOfStatus(second) ? ofStatus : whole
    if (!makes) return whole
    return verb === 'create' ? undeclaredField(first, declared) : undefined
  }
  return (verb, given) => {
    const field = undeclared(verb, given)
    return field && refused(`controller ${controller} (${verb})`, kind, field, fields)
  }
}

function isOfStatus(options: unknown): boolean {
  return (options as { readonly subresource?: string } | undefined)?.subresource === 'status'
}

function refused(who: string, kind: Kind, field: Steps, fields: readonly string[]): StatusError {
  const what = `${kind.kind} (${resourceName(kind)})`
  const [part, remedy] =
    field.length === 0
      ? [`${what} as a whole`, 'patch or apply these, or name the kind without fields in `writes`']
      : [`${printSteps(field)} of ${what}`, 'name the field in `writes`, by writing()']
  return new StatusError(
    'Forbidden',
    `${who} writes ${part}, but declares ${fields.join(', ') || 'no field'} alone: ${remedy}`,
  )
}
