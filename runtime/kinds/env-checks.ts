/** What a schema cannot say of environment variables. */
import type { Finding } from '../kernel/read.ts'
import { invalid, problems } from './findings.ts'
import type { EnvVar } from './shapes.ts'

const nameRule =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must " +
  "not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation " +
  "is '[-._a-zA-Z][-._a-zA-Z0-9]*')"

/** Findings for names and for where values come from. */
export function checkEnv(path: string, env: readonly EnvVar[]): readonly Finding[] {
  return env.flatMap((variable, index) => [
    ...problems(`${path}[${index}].name`, variable.name, nameProblems(variable.name)),
    ...checkSource(`${path}[${index}].valueFrom`, variable),
  ])
}

function nameProblems(name: string | undefined): readonly string[] {
  if (!name) return []
  if (name === '.' || name === '..') return [`must not be '${name}'`]
  if (name.startsWith('..')) return ["must not start with '..'"]
  return /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name) ? [] : [nameRule]
}

function checkSource(path: string, { value, valueFrom }: EnvVar): readonly Finding[] {
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
