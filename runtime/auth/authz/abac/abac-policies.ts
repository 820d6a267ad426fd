import { isObject, type Json, type JsonObject } from '../../../kernel/values/json.ts'
import type { AbacPolicy } from './abac-authorizer.ts'

/** The policies of a file, or everything that is wrong with its lines. */
export interface AbacPolicies {
  readonly policies: readonly AbacPolicy[]
  readonly problems: readonly string[]
}

const everyone = 'system:authenticated'

/**
 * Reads a policy file: a policy a line, as JSON; lines that are empty or begin with `#` say nothing. A line without a version
 * is one of the oldest form. `apiVersion` is that of the platform.
 */
export function readAbacPolicies(text: string, apiVersions: readonly string[]): AbacPolicies {
  const policies: AbacPolicy[] = []
  const problems: string[] = []
  for (const [at, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const read = readLine(trimmed, apiVersions)
    if (typeof read === 'string') problems.push(`line ${at + 1}: ${read}`)
    else policies.push(read)
  }
  return { policies, problems }
}

function readLine(line: string, apiVersions: readonly string[]): AbacPolicy | string {
  let value: Json
  try {
    value = JSON.parse(line) as Json
  } catch {
    return 'is not JSON'
  }
  if (!isObject(value)) return 'has to be an object'
  const { apiVersion, kind, spec, metadata: _, ...others } = value
  if (apiVersion === undefined && kind === undefined) return oldPolicy(value)
  if (typeof apiVersion !== 'string' || !apiVersions.includes(apiVersion)) {
    return `apiVersion has to be ${apiVersions[0]}`
  }
  if (kind !== 'Policy') return 'kind has to be Policy'
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return `${JSON.stringify(unknown)} is unknown`
  if (!isObject(spec ?? {})) return 'spec has to be an object'
  const policy = typedPolicy((spec ?? {}) as JsonObject, '')
  if (typeof policy === 'string') return policy
  return policy.user === '*' || policy.group === '*'
    ? { ...policy, user: '', group: everyone }
    : policy
}

const texts = ['user', 'group', 'apiGroup', 'resource', 'namespace', 'nonResourcePath']

function typedPolicy(spec: JsonObject, where: string): AbacPolicy | string {
  for (const [key, value] of Object.entries(spec)) {
    if (key === 'readonly') {
      if (typeof value !== 'boolean') return `${where}readonly has to be true or false`
    } else if (!texts.includes(key)) return `${where}${JSON.stringify(key)} is unknown`
    else if (typeof value !== 'string') return `${where}${key} has to be a string`
  }
  return spec as AbacPolicy
}

/** The oldest form has no groups of resources: what it does not name, it allows. */
function oldPolicy(line: JsonObject): AbacPolicy | string {
  const policy = typedPolicy(line, '')
  if (typeof policy === 'string') return policy
  const { user = '', group = '', resource = '', namespace = '', readonly = false } = policy
  const isForAll = user === '*' || group === '*' || (user === '' && group === '')
  return {
    ...(isForAll ? { user: '', group: everyone } : { user, group }),
    readonly,
    apiGroup: '*',
    namespace: namespace || '*',
    resource: resource || '*',
    ...(resource === '' && namespace === '' && { nonResourcePath: '*' }),
  }
}
