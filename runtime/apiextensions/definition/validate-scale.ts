import type { CustomResourceSubresourceScale } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../../kernel/validation/field-errors.ts'

/**
 * The errors of the paths of a scale: they lead below the spec and the status (C-17). Only the path
 * of the label selector may be left out. A path that leads nowhere is found when a scale is asked for.
 */
export function validateScale(
  scale: CustomResourceSubresourceScale | null | undefined,
  path: string,
): readonly FieldError[] {
  if (!scale) return []
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: labels } = scale
  return [
    ...validateScalePath(spec, `${path}.specReplicasPath`, ['.spec']),
    ...validateScalePath(status, `${path}.statusReplicasPath`, ['.status']),
    ...(labels ? validateScalePath(labels, `${path}.labelSelectorPath`, ['.spec', '.status']) : []),
  ]
}

function validateScalePath(jsonPath: string, path: string, roots: readonly string[]): FieldError[] {
  if (!jsonPath) return [required(path)]
  if (!jsonPath.startsWith('.')) {
    return [invalid(path, jsonPath, 'must be a simple json path starting with .')]
  }
  if (roots.some((root) => jsonPath.startsWith(`${root}.`))) return []
  const parent = roots.length > 1 ? `either ${roots.join(' or ')}` : roots[0]
  return [invalid(path, jsonPath, `should be a json path under ${parent}`)]
}
