import type { CustomResourceSubresourceScale } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid } from '../../kernel/validation/field-errors.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { goTypeOf, goValueText } from '../reader/go-values.ts'

type Scale = CustomResourceSubresourceScale | undefined

const maxReplicas = 2 ** 31 - 1

/** The errors of the wanted replicas of an object with a scale; none without one. */
export function scaleSpecErrors(object: ApiObject, scale: Scale): readonly FieldError[] {
  return scale === undefined ? [] : replicasErrors(object, scale.specReplicasPath)
}

/** The errors of the actual replicas and the selector of an object with a scale. */
export function scaleStatusErrors(object: ApiObject, scale: Scale): readonly FieldError[] {
  if (scale === undefined) return []
  const { statusReplicasPath, labelSelectorPath } = scale
  const errors = replicasErrors(object, statusReplicasPath)
  if (!labelSelectorPath) return errors
  const { value, problem } = lookUp(object, labelSelectorPath)
  if (problem !== undefined) return [...errors, invalid(labelSelectorPath, '', problem)]
  if (value === undefined || typeof value === 'string') return errors
  return [...errors, invalid(labelSelectorPath, '', wrongType(labelSelectorPath, value, 'string'))]
}

function replicasErrors(object: ApiObject, path: string): readonly FieldError[] {
  const { value, problem } = lookUp(object, path)
  if (problem !== undefined) return [invalid(path, 0, problem)]
  if (value === undefined) return []
  if (!Number.isSafeInteger(value) && typeof value !== 'bigint') {
    return [invalid(path, 0, wrongType(path, value, 'int64'))]
  }
  const replicas = value as number | bigint
  if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')]
  if (replicas <= maxReplicas) return []
  return [invalid(path, replicas, `should be less than or equal to ${maxReplicas}`)]
}

interface LookUp {
  readonly value?: Json | undefined
  /** Why there can be no value at the path. */
  readonly problem?: string
}

/** The value at a path of a definition, `.spec.replicas`: below null there is none. */
function lookUp(object: ApiObject, path: string): LookUp {
  let value: Json | undefined = object as unknown as Json
  let at = ''
  for (const name of path.replace(/^\./, '').split('.')) {
    if (value === null || value === undefined) return {}
    at += `.${name}`
    if (!isObject(value)) return { problem: wrongType(at, value, 'map[string]interface{}') }
    value = Object.hasOwn(value, name) ? value[name] : undefined
  }
  return { value }
}

function wrongType(path: string, value: Json, expected: string): string {
  const at = path.startsWith('.') ? path : `.${path}`
  return `${at} accessor error: ${goValueText(value)} is of the type ${goTypeOf(value)}, expected ${expected}`
}
