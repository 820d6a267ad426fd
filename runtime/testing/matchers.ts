import { type FieldChange, fieldChanges, fieldChangeText } from './field-changes.ts'
import { isRecord, withoutServerFields } from './server-fields.ts'

/** Fails unless two objects, or lists, are the same but for what servers fill in. @throws Error that names each field. */
export function assertSameObject(actual: unknown, expected: unknown): void {
  const changes = objectDifferences(actual, expected)
  if (changes.length > 0) throw new Error(differenceText(changes))
}

/** The fields in which an object is not as expected, without those that servers fill in. */
export function objectDifferences(actual: unknown, expected: unknown): readonly FieldChange[] {
  return fieldChanges(withoutServerFields(expected), withoutServerFields(actual))
}

/** What `expect.extend` of vitest and of jest takes. */
export const objectMatchers = {
  /** The object is the expected one, but for what servers fill in. */
  toBeSameObject(actual: unknown, expected: unknown) {
    const changes = objectDifferences(actual, expected)
    return {
      pass: changes.length === 0,
      message: () =>
        changes.length === 0
          ? 'the objects are the same, and should not be'
          : differenceText(changes),
    }
  },
}

/** What `expect.addSnapshotSerializer` of vitest and of jest takes: snapshots are without what servers fill in. */
export const objectSerializer = {
  test: (value: unknown): boolean => isRecord(value) && isFromServer(value),
  serialize(
    value: unknown,
    config: unknown,
    indentation: string,
    depth: number,
    refs: unknown,
    printer: (...args: readonly unknown[]) => string,
  ): string {
    return printer(withoutServerFields(value), config, indentation, depth, refs)
  },
}

/** True while there is something to leave out. */
function isFromServer({ metadata }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(metadata) && ('resourceVersion' in metadata || 'uid' in metadata)
}

function differenceText(changes: readonly FieldChange[]): string {
  return ['the object is not as expected:', ...changes.map(fieldChangeText)].join('\n  ')
}
