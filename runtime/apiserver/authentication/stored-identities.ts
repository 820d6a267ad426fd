import type {
  IdentitySource,
  StoredAccount,
  StoredIdentity,
  StoredSecret,
} from '../../auth/auth.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import type { Item, Registry, Target } from '../../registry/registry.ts'

/** Stored objects as the authenticators of tokens see them: from the watch cache, without a promise for what is there. */
export function storedIdentities(
  registry: () => Registry,
  log: Log,
  domain: string,
): IdentitySource {
  const read = (plural: string, name: string, namespace?: string) =>
    storedObject(registry(), plural, name, namespace)
  return {
    serviceAccount: (namespace, name) =>
      chainAwaitable(read('serviceaccounts', name, namespace), knownAccount),
    pod: (namespace, name) => chainAwaitable(read('pods', name, namespace), knownPod),
    node: (name) => chainAwaitable(read('nodes', name), identityOf),
    secret: (namespace, name) => chainAwaitable(read('secrets', name, namespace), secretOf),
    noteUse(namespace, name, uid, day) {
      noteUse(registry(), {
        namespace,
        name,
        uid,
        label: `${domain}/legacy-token-last-used`,
        day,
      }).catch((error: unknown) =>
        log.error('use of a token not noted', { namespace, secret: name }, error),
      )
    },
  }
}

function targetOf({ scheme }: Registry, plural: string, namespace?: string): Target | undefined {
  const path = `api/v1/${plural}`
  const kind = Object.hasOwn(scheme.routes, path) ? scheme.routes[path] : undefined
  return kind && { kind, ...(namespace !== undefined && { namespace }) }
}

function storedObject(
  registry: Registry,
  plural: string,
  name: string,
  namespace?: string,
): Awaitable<ApiObject | undefined> {
  const target = targetOf(registry, plural, namespace)
  if (target === undefined || name === '') return undefined
  const named = { ...target, name }
  const known = registry.peek(named)
  if (known !== undefined) return objectOf(known)
  return registry.get(named, {}).then(objectOf, (error: unknown) => {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  })
}

/** What was read of items that are still cached: an account is looked at with each request of its bearer. */
const objects = new WeakMap<Item, ApiObject>()

function objectOf(item: Item): ApiObject {
  const known = objects.get(item)
  if (known !== undefined) return known
  const object = item.object()
  objects.set(item, object)
  return object
}

function identityOf(object: ApiObject | undefined): StoredIdentity | undefined {
  if (object === undefined) return undefined
  const { uid = '', deletionTimestamp } = object.metadata
  return { uid, ...(deletionTimestamp && { deletedAt: Date.parse(deletionTimestamp) }) }
}

const knownAccount = oncePerObject(accountOf)
const knownPod = oncePerObject(identityOf)

/** The same value for the same object: it is looked up with each request of its bearer. */
function oncePerObject<T extends object>(
  make: (object: ApiObject | undefined) => T | undefined,
): (object: ApiObject | undefined) => T | undefined {
  const made = new WeakMap<ApiObject, T | undefined>()
  return (object) => {
    if (object === undefined) return undefined
    const known = made.get(object)
    if (known !== undefined) return known
    const value = make(object)
    made.set(object, value)
    return value
  }
}

function accountOf(object: ApiObject | undefined): StoredAccount | undefined {
  const identity = identityOf(object)
  const { secrets = [] } = (object ?? {}) as { readonly secrets?: readonly { name?: string }[] }
  return identity && { ...identity, secrets: secrets.map(({ name = '' }) => name) }
}

interface Secret {
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
}

function secretOf(object: ApiObject | undefined): StoredSecret | undefined {
  const identity = identityOf(object)
  if (object === undefined || identity === undefined) return undefined
  const { type = '', data = {} } = object as Secret
  return {
    ...identity,
    type,
    labels: object.metadata.labels ?? {},
    value(key) {
      const encoded = Object.hasOwn(data, key) ? data[key] : undefined
      return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString()
    },
  }
}

interface TokenUse {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly label: string
  readonly day: string
}

/** Labels the secret; one that was made anew since is left alone. */
async function noteUse(
  registry: Registry,
  { namespace, name, uid, label, day }: TokenUse,
): Promise<void> {
  const target = targetOf(registry, 'secrets', namespace)
  if (target === undefined) return
  const value = { metadata: { uid, labels: { [label]: day } } }
  const options = { dryRun: false, fieldValidation: 'Ignore', manager: 'apiserver' } as const
  await registry.patch({ ...target, name }, 'merge', { value, duplicates: [] }, options)
}
