import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { StatusError } from '../kernel/errors/status-error.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'

/** How to reach one server as one user. Certificates and keys are PEM text. */
export interface ConnectionConfig {
  /** `http://127.0.0.1:8080`, with a path prefix if there is one. */
  readonly server: string
  /** Where names without a namespace are looked up. */
  readonly namespace: string
  /** The certificate authority of the server. Default: those that Node trusts. */
  readonly ca?: string
  /** Do not verify the server's certificate. */
  readonly insecure?: boolean
  /** The name to verify in the server's certificate, if it is not the address. */
  readonly serverName?: string
  /** A bearer token, which goes before a username. */
  readonly token?: string
  readonly username?: string
  readonly password?: string
  /** The certificate of the client, and its private key. */
  readonly cert?: string
  readonly key?: string
}

/**
 * Reads an orchconfig file: the format that kubectl's `--kubeconfig` reads, YAML or JSON. Paths in it are relative to
 * the file. Credential plugins are not run.
 *
 * @param context The context to take. Default: the file's `current-context`.
 * @throws StatusError `BadRequest` with the file's name and what is missing or wrong.
 */
export async function loadConfig(file: string, context?: string): Promise<ConnectionConfig> {
  const { cluster, user, namespace } = chosenParts(file, await readDocument(file), context)
  return withoutUndefined({
    server: String(cluster.server),
    namespace: stringOrUndefined(namespace) || 'default',
    insecure: cluster['insecure-skip-tls-verify'] === true || undefined,
    serverName: stringOrUndefined(cluster['tls-server-name']),
    ca: await pemData(file, cluster, 'certificate-authority'),
    cert: await pemData(file, user, 'client-certificate'),
    key: await pemData(file, user, 'client-key'),
    token: stringOrUndefined(user.token) ?? (await fileText(file, user.tokenFile))?.trim(),
    username: stringOrUndefined(user.username),
    password: stringOrUndefined(user.password),
  })
}

/** The parts of the document that a context names. */
interface ContextParts {
  readonly cluster: JsonObject
  readonly user: JsonObject
  readonly namespace: unknown
}

function chosenParts(file: string, root: JsonObject, context: string | undefined): ContextParts {
  const name = context ?? stringOrUndefined(root['current-context'])
  if (name === undefined || name === '') throw orchconfigError(file, 'current-context is not set')
  const chosen = namedEntry(file, root, 'contexts', 'context', name)
  const clusterName = stringOrUndefined(chosen.cluster) ?? ''
  const cluster = namedEntry(file, root, 'clusters', 'cluster', clusterName)
  const userName = stringOrUndefined(chosen.user) ?? ''
  const user = chosen.user === undefined ? {} : namedEntry(file, root, 'users', 'user', userName)
  if (user.exec !== undefined || user['auth-provider'] !== undefined) {
    const why = 'needs a credential plugin, which is not supported'
    throw orchconfigError(file, `user "${userName}" ${why}`)
  }
  const server = stringOrUndefined(cluster.server)
  if (server === undefined || !/^https?:\/\//.test(server)) {
    throw orchconfigError(file, `cluster "${clusterName}" has no http or https server address`)
  }
  return { cluster, user, namespace: chosen.namespace }
}

async function readDocument(file: string): Promise<JsonObject> {
  const source = await readText(file, file)
  const root = await parseDocument(file, source)
  if (!isObject(root)) throw orchconfigError(file, 'not a mapping')
  return root
}

async function parseDocument(file: string, source: string): Promise<unknown> {
  try {
    if (source.trimStart().startsWith('{')) return JSON.parse(source)
    const { parse } = await import('yaml')
    return parse(source, { maxAliasCount: 100 })
  } catch (cause) {
    throw orchconfigError(file, 'cannot be read as YAML', cause)
  }
}

/** The entry called `name` of one of the three lists. */
function namedEntry(
  file: string,
  root: JsonObject,
  list: 'contexts' | 'clusters' | 'users',
  item: string,
  name: string,
): JsonObject {
  const entries = root[list]
  const found = Array.isArray(entries)
    ? entries.find((entry) => isObject(entry) && entry.name === name)
    : undefined
  const value: unknown = isObject(found) ? (found[item] ?? {}) : undefined
  if (!isObject(value)) throw orchconfigError(file, `${list} has no entry named "${name}"`)
  return value
}

/** `<key>-data` as base64, else the content of the file that `<key>` names. */
async function pemData(file: string, from: JsonObject, key: string): Promise<string | undefined> {
  const inline = stringOrUndefined(from[`${key}-data`])
  if (inline !== undefined && inline !== '') return Buffer.from(inline, 'base64').toString('utf8')
  return fileText(file, from[key])
}

async function fileText(file: string, path: unknown): Promise<string | undefined> {
  const given = stringOrUndefined(path)
  if (given === undefined || given === '') return undefined
  return readText(file, resolve(dirname(file), given))
}

async function readText(file: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw orchconfigError(file, `cannot read ${path}`, cause)
  }
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

type Nullable<T> = { readonly [P in keyof T]: T[P] | undefined }

function withoutUndefined(config: Nullable<ConnectionConfig>): ConnectionConfig {
  const set = Object.entries(config).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as unknown as ConnectionConfig
}

function orchconfigError(file: string, why: string, cause?: unknown): StatusError {
  return new StatusError('BadRequest', `orchconfig ${file}: ${why}`, { cause })
}
