/** Conflicts of an apply: data here, a Status at the edge. */
import { type FieldSet, intersection, isEmpty, printFields } from '../field-set/field-set.ts'
import { compareText, type Manager, type Managers } from './managers.ts'

/** The fields of another manager that an apply would give another value. */
export interface Conflict {
  readonly manager: Manager
  readonly fields: FieldSet
}

export type Conflicts = readonly Conflict[]

/** What `managers` have among fields that change; `changedFor` gives those fields in a manager's version. */
export function conflictsOf(
  managers: Managers,
  changedFor: (manager: Manager) => FieldSet,
): Conflicts {
  return managers
    .map((manager) => ({ manager, fields: intersection(manager.fields, changedFor(manager)) }))
    .filter(({ fields }) => !isEmpty(fields))
    .sort(
      (a, b) =>
        compareText(a.manager.manager, b.manager.manager) ||
        compareText(a.manager.operation, b.manager.operation) ||
        compareText(a.manager.subresource ?? '', b.manager.subresource ?? ''),
    )
}

/** One field in conflict, as a cause of the Status names it: `conflict with "web" using apps/v1`. */
export interface ConflictCause {
  readonly field: string
  readonly message: string
}

/** What a client is told of conflicts (supplement A-12). */
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

function describeManager({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = JSON.stringify(manager)
  const where = subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''
  return operation === 'Apply' ? `${name}${where}` : `${name}${where} using ${apiVersion}`
}
