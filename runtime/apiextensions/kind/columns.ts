import type { CustomResourceColumnDefinition } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import type { Column } from '../../kernel/descriptors/kind.ts'
import { parseJsonPath } from '../../kernel/values/json-path.ts'

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object.',
  cell: '.metadata.name',
}

const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  description: 'When the object was created.',
  cell: '$.metadata.creationTimestamp',
}

/**
 * The printer columns of a version: the name, then its own, or the age if it has none (supplement
 * C-18, D-24). Cells of the definition begin with `$`, which sends them to `jsonPathCell`; those
 * without are paths of built-in kinds. Priority 0 is left out, being the default. A path that cannot be read ends
 * the columns, as in release 1.29.
 */
export function printerColumns(
  own: readonly CustomResourceColumnDefinition[] = [],
): readonly Column[] {
  if (own.length === 0) return [nameColumn, ageColumn]
  const wrong = own.findIndex(({ jsonPath }) => !isReadable(jsonPath))
  return [
    nameColumn,
    ...own
      .slice(0, wrong < 0 ? own.length : wrong)
      .map(({ name, type, format, description, priority, jsonPath }) => ({
        name,
        type: type as Column['type'],
        ...(format && { format }),
        description:
          description || `Column of a custom resource definition, by the path ${jsonPath}`,
        ...(priority && { priority }),
        cell: `$${jsonPath}`,
      })),
  ]
}

/** True for a path that release 1.29 can read: names in brackets stand in single quotes. */
function isReadable(path: string): boolean {
  return parseJsonPath(path) !== undefined && !path.includes('["')
}
