import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
} from '../../../../generated/apis/core/v1/env.ts'
import { configKeyProblems, dnsSubdomainProblems } from '../../../kernel/meta/names.ts'
import { invalid } from '../../../kernel/validation/field-errors.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import { checkFieldRef, checkResourceFieldRef, variableFields } from './downward-api.ts'

const nameRule =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must " +
  "not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation " +
  "is '[-._a-zA-Z][-._a-zA-Z0-9]*')"

const oneSource =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'
const manySources = 'may not have more than one field specified at a time'

/**
 * A variable has a name, and a value from one place.
 * At most one error about the number of sources; then each source that is there is judged. A value
 * beside an empty `valueFrom` is reported as that emptiness.
 */
export const envVar: Check<EnvVar> = (variable) => {
  const { value, valueFrom } = variable.value
  variable.checkText('name', nameProblems)
  if (valueFrom === undefined) return
  const count = Object.values(valueFrom).filter((source) => source !== undefined).length
  const from = variable.child('valueFrom')
  from.when('fieldRef', (ref) => checkFieldRef(ref, variableFields))
  from.when('resourceFieldRef', (ref) => checkResourceFieldRef(ref))
  from.visit('configMapKeyRef', 'secretKeyRef')
  if (count === 0) variable.invalid('valueFrom', oneSource, '')
  else if (value) {
    variable.invalid('valueFrom', 'may not be specified when `value` is not empty', '')
  } else if (count > 1) variable.invalid('valueFrom', manySources, '')
}

/**
 * The object whose entries all become variables: one of two kinds, with a name.
 * The prefix is judged as a name of its own, so it may not begin with a digit. How many objects there are is told at the list.
 */
export const envFromSource: Check<EnvFromSource> = (source) => {
  const { configMapRef, secretRef } = source.value
  source.checkText('prefix', nameProblems)
  if (configMapRef && !configMapRef.name) source.required('configMapRef.name')
  source.checkText('configMapRef.name', dnsSubdomainProblems)
  if (secretRef && !secretRef.name) source.required('secretRef.name')
  source.checkText('secretRef.name', dnsSubdomainProblems)
  if (!configMapRef && !secretRef) {
    source.report(invalid(listOf(source), '', 'must specify one of: `configMapRef` or `secretRef`'))
  } else if (configMapRef && secretRef) source.report(invalid(listOf(source), '', manySources))
}

function listOf(item: Field<EnvFromSource>): string {
  return item.path().replace(/\[\d+\]$/, '')
}

/** A key of a named ConfigMap or Secret. */
export const keySelector: Check<ConfigMapKeySelector> = (selector) => {
  selector.judge('name', dnsSubdomainProblems)
  selector.checkText('key', configKeyProblems)
}

function nameProblems(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`must not be '${name}'`]
  if (name.startsWith('..')) return ["must not start with '..'"]
  return /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name) ? [] : [nameRule]
}
