/** What a schema cannot say of environment variables. */
import { configKeyProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { invalid, invalidAll, required } from '../../types/field-errors.ts'
import type { EnvSource, EnvVar, KeyReference, List, ValueSource } from '../../types/shapes.ts'
import { checkFieldRef, checkResourceFieldRef, variableFields } from './downward-api.ts'

const nameRule =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must " +
  "not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation " +
  "is '[-._a-zA-Z][-._a-zA-Z0-9]*')"

/** Findings for names and for where values come from. */
export function checkEnv(path: string, env: readonly EnvVar[]): readonly FieldError[] {
  return env.flatMap((variable, index) => {
    const { name, valueFrom } = variable
    const at = `${path}[${index}]`
    return [
      ...invalidAll(`${at}.name`, name, nameProblems(name)),
      ...checkSource(`${at}.valueFrom`, variable),
      ...(valueFrom ? checkReferences(`${at}.valueFrom`, valueFrom) : []),
    ]
  })
}

/** Findings for the objects whose entries all become variables. */
export function checkEnvFrom(
  path: string,
  sources: List<EnvSource> | undefined,
): readonly FieldError[] {
  return (sources ?? []).flatMap(({ prefix, configMapRef, secretRef }, index) => {
    const at = `${path}[${index}]`
    const [none, both] = [!configMapRef && !secretRef, configMapRef && secretRef]
    const rule = none
      ? 'must specify one of: `configMapRef` or `secretRef`'
      : 'may not have more than one field specified at a time'
    return [
      ...invalidAll(`${at}.prefix`, prefix, nameProblems(prefix)),
      ...(none || both ? [invalid(at, '', rule)] : []),
      ...(configMapRef && !configMapRef.name ? [required(`${at}.configMapRef.name`)] : []),
      ...(secretRef && !secretRef.name ? [required(`${at}.secretRef.name`)] : []),
    ]
  })
}

function checkReferences(path: string, from: ValueSource): readonly FieldError[] {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = from
  return [
    ...checkKey(`${path}.configMapKeyRef`, configMapKeyRef),
    ...checkKey(`${path}.secretKeyRef`, secretKeyRef),
    ...(fieldRef ? checkFieldRef(`${path}.fieldRef`, fieldRef, variableFields) : []),
    ...(resourceFieldRef
      ? checkResourceFieldRef(`${path}.resourceFieldRef`, resourceFieldRef)
      : []),
  ]
}

function checkKey(path: string, key: KeyReference | undefined): readonly FieldError[] {
  if (key === undefined) return []
  return [
    ...(key.name ? [] : [required(`${path}.name`)]),
    ...(key.key ? invalidAll(`${path}.key`, key.key, configKeyProblems(key.key)) : []),
  ]
}

function nameProblems(name: string | undefined): readonly string[] {
  if (!name) return []
  if (name === '.' || name === '..') return [`must not be '${name}'`]
  if (name.startsWith('..')) return ["must not start with '..'"]
  return /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name) ? [] : [nameRule]
}

function checkSource(path: string, { value, valueFrom }: EnvVar): readonly FieldError[] {
  if (valueFrom === undefined) return []
  const sources = Object.values(valueFrom).filter((source) => source !== undefined).length
  if (sources === 0) {
    const rule =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'
    return [invalid(path, '', rule)]
  }
  if (value) return [invalid(path, '', 'may not be specified when `value` is not empty')]
  return sources > 1
    ? [invalid(path, '', 'may not have more than one field specified at a time')]
    : []
}
