/** Conflicts of an apply. They are data here; the registry makes a Status of them. */
import { type FieldSet, intersection, isEmpty, printFields } from '../field-set/field-set.ts'
import { compareText, type Manager, type Managers } from './managers.ts'

/** The fields of another manager to which an apply would give other values. */
export interface Conflict {
  readonly manager: Manager
  /** The fields in conflict, in the manager's version. */
  readonly fields: FieldSet
}

/** Every conflict of an apply. */
export type Conflicts = readonly Conflict[]

/**
 * The conflicts with `managers`, in the order of `identity`; `changedFor` gives the fields that change, in a manager's version.
 */
export function conflictsOf(
  managers: Managers,
  changedFor: (manager: Manager) => FieldSet,
): Conflicts {
  return managers
    .map((manager) => ({ manager, fields: intersection(manager.fields, changedFor(manager)) }))
    .filter(({ fields }) => !isEmpty(fields))
    .sort((a, b) => compareText(identity(a.manager), identity(b.manager)))
}

/** What tells managers apart, as public servers write and sort it: with a subresource one comes before itself without. */
function identity({ manager, operation, apiVersion, subresource }: Manager): string {
  const version = operation === 'Apply' ? {} : { apiVersion }
  return JSON.stringify({ manager, operation, ...version, ...(subresource && { subresource }) })
}

/** One field in conflict, as a cause of the Status: `conflict with "web" using apps/v1`. */
export interface ConflictCause {
  readonly field: string
  readonly message: string
}

/** Message and causes of the Status that a client receives (supplement A-12). */
export function describeConflicts(conflicts: Conflicts): {
  readonly message: string
  readonly causes: readonly ConflictCause[]
} {
  const found = conflicts.map(({ manager, fields }) => ({
    with: describeManager(manager),
    paths: printFields(fields),
  }))
  const causes = found.flatMap((one) =>
    one.paths.map((field) => ({ field, message: `conflict with ${one.with}` })),
  )
  if (causes.length === 1) {
    const { message, field } = causes[0]!
    return { causes, message: `Apply failed with 1 conflict: ${message}: ${field}` }
  }
  const lines = found.flatMap((one) => [
    `conflicts with ${one.with}:`,
    ...one.paths.map((path) => `- ${path}`),
  ])
  return { causes, message: `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}` }
}

/** The manager as messages name it. An applier is named without its version, which may change between its requests. */
function describeManager({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = JSON.stringify(manager)
  const where = subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''
  return operation === 'Apply' ? `${name}${where}` : `${name}${where} using ${apiVersion}`
}
