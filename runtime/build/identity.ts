import { isObject, type JsonObject } from '../kernel/values/json.ts'

/** What names an object. */
export interface Identity {
  readonly apiVersion: string
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** What names the object; texts that it does not state are empty. */
export function identityOf({ apiVersion, kind, metadata }: JsonObject): Identity {
  const { name, namespace } = isObject(metadata) ? metadata : {}
  const version = text(apiVersion)
  const group = version.includes('/') ? version.slice(0, version.indexOf('/')) : ''
  return {
    apiVersion: version,
    group,
    kind: text(kind),
    namespace: text(namespace),
    name: text(name),
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A key that two objects share if they are the same. */
export function keyOf(object: JsonObject): string {
  const { group, kind, namespace, name } = identityOf(object)
  return [group, kind, namespace, name].join('\0')
}

/** `Deployment shop/web`, as messages name an object. */
export function describe(object: JsonObject): string {
  const { kind, namespace, name } = identityOf(object)
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`
}
