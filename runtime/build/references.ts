/** Fields that name other objects, wherever they stand. */
import { define } from '../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../kernel/values/json.ts'

/** What an object is called from now on; undefined if its name stays. */
export type Renamed = (kind: string, name: string) => string | undefined

/** Objects that hold a name, by the key that they stand under: the field with the name, and the kind that it names. */
const holders: Readonly<Record<string, readonly [field: string, kind: string]>> = {
  configMap: ['name', 'ConfigMap'],
  configMapKeyRef: ['name', 'ConfigMap'],
  configMapRef: ['name', 'ConfigMap'],
  imagePullSecrets: ['name', 'Secret'],
  persistentVolumeClaim: ['claimName', 'PersistentVolumeClaim'],
  secret: ['secretName', 'Secret'],
  secretKeyRef: ['name', 'Secret'],
  secretRef: ['name', 'Secret'],
  secrets: ['name', 'Secret'],
  service: ['name', 'Service'],
  tls: ['secretName', 'Secret'],
}

/** Fields that are a name themselves. */
const names: Readonly<Record<string, string>> = {
  ingressClassName: 'IngressClass',
  priorityClassName: 'PriorityClass',
  serviceAccountName: 'ServiceAccount',
  serviceName: 'Service',
  storageClassName: 'StorageClass',
}

/** Objects that state the kind of what they name. */
const stating = new Set(['roleRef', 'scaleTargetRef', 'subjects'])

/** The value with the names that its references have now. What did not change is the value itself. */
export function withReferences(value: Json, renamed: Renamed, under = ''): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => withReferences(item, renamed, under))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (!isObject(value)) return value
  const own = ownName(value, renamed, under)
  let result: Record<string, Json> | undefined
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined) continue
    const after = own?.[0] === key ? own[1] : partAfter(key, part, renamed, under)
    if (after === part) continue
    result ??= { ...(value as Record<string, Json>) }
    define(result, key, after)
  }
  return result ?? value
}

/** What stands in texts of config maps and secrets, labels and annotations is never a reference. */
function partAfter(key: string, part: Json, renamed: Renamed, under: string): Json {
  if (under === '' && (key === 'data' || key === 'metadata' || key === 'stringData')) return part
  if (key === 'labels' || key === 'annotations' || key === 'matchLabels') return part
  if (typeof part === 'string' && Object.hasOwn(names, key)) {
    return renamed(names[key] as string, part) ?? part
  }
  return withReferences(part, renamed, key)
}

/** The field of this object that names another, and its new value. */
function ownName(
  value: JsonObject,
  renamed: Renamed,
  under: string,
): readonly [string, string] | undefined {
  const isProjected = under === 'secret' && typeof value.name === 'string'
  const row = Object.hasOwn(holders, under) ? holders[under] : undefined
  const field = isProjected || stating.has(under) ? 'name' : row?.[0]
  const kind = stating.has(under) ? value.kind : row?.[1]
  const name = field === undefined ? undefined : value[field]
  if (typeof name !== 'string' || typeof kind !== 'string' || field === undefined) return undefined
  const after = renamed(kind, name)
  return after === undefined ? undefined : [field, after]
}
