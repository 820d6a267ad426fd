/** Reads orchconfig files and merges them. */
import { access } from 'node:fs/promises'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { AuthInfo, Cluster, Config, Context } from '../../generated/config/clientconfig/v1.ts'
import { configFiles } from '../config/config.ts'
import { StatusError } from '../kernel/errors/status-error.ts'

/** The entries of one or more files by name, with paths made absolute. */
export interface Orchconfig {
  /** The files that were read. */
  readonly files: readonly string[]
  readonly currentContext: string
  readonly contexts: ReadonlyMap<string, Entry<Context>>
  readonly clusters: ReadonlyMap<string, Entry<Cluster>>
  readonly users: ReadonlyMap<string, Entry<AuthInfo>>
}

/** An entry, and the file that has it. */
export interface Entry<T> {
  readonly file: string
  readonly value: T
}

/**
 * Reads files and merges them: of entries of one name, and of current contexts, the first counts. Of several files any but all
 * may be missing.
 *
 * @throws StatusError `BadRequest` with everything that is wrong in a file, each with its line.
 */
export async function readOrchconfig(
  paths: readonly string[],
  missing: 'may be missing' | 'must be there' = 'must be there',
): Promise<Orchconfig> {
  const present = await Promise.all(
    paths.map(async (path) => ((await isThere(path)) ? [path] : [])),
  )
  const found = present.flat()
  const files = found.length > 0 || missing === 'may be missing' ? found : paths
  const configs = await Promise.all(files.map(readFile))
  const [contexts, clusters, users] = [new Map(), new Map(), new Map()] as const
  for (const [index, config] of configs.entries()) {
    const file = files[index]!
    for (const { name, context } of config.contexts ?? []) put(contexts, name, file, context)
    for (const { name, cluster } of config.clusters ?? []) {
      put(clusters, name, file, withPaths(file, cluster, ['certificate-authority']))
    }
    for (const { name, user } of config.users ?? [])
      put(users, name, file, userWithPaths(file, user))
  }
  const currentContext = configs.map((config) => config['current-context']).find(Boolean) ?? ''
  return { files, currentContext, contexts, clusters, users }
}

/** An error about a file. */
export function orchconfigError(file: string, why: string, cause?: unknown): StatusError {
  return new StatusError('BadRequest', `orchconfig ${file}: ${why}`, { cause })
}

async function readFile(file: string): Promise<Config> {
  const [{ readSharedFile }, { config }] = await Promise.all([
    configFiles(),
    import('../../generated/config/clientconfig/v1.table.ts'),
  ])
  const { value, problems } = await readSharedFile(config, file)
  if (problems.length > 0) throw new StatusError('BadRequest', `orchconfig ${problems.join('\n')}`)
  return value as Config
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
}

function put<T>(
  entries: Map<string, Entry<T>>,
  name: string,
  file: string,
  value: T | undefined,
): void {
  if (!entries.has(name)) entries.set(name, { file, value: value ?? ({} as T) })
}

function userWithPaths(file: string, user: AuthInfo | undefined): AuthInfo {
  const whole = withPaths(file, user, ['client-certificate', 'client-key', 'tokenFile'])
  const { exec } = whole
  return exec === undefined || !/[\\/]/.test(exec.command)
    ? whole
    : { ...whole, exec: withPaths(file, exec, ['command']) }
}

/** A value whose paths are relative to its file, with paths that hold wherever the process stands. */
function withPaths<T extends object>(
  file: string,
  value: T | undefined,
  fields: readonly (keyof T)[],
): T {
  const whole = { ...value } as T
  for (const field of fields) {
    const path = whole[field]
    if (typeof path === 'string' && path !== '' && !isAbsolute(path)) {
      whole[field] = resolve(dirname(file), path) as T[keyof T]
    }
  }
  return whole
}
