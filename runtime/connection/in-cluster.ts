/** What a cluster tells the containers in it. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConnectionConfig } from '../client/client.ts'
import { systemClock } from '../kernel/async/clock.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import { credentialFiles, readCredentialFile } from './credential-files.ts'
import { type Environment, http2Variable, localNames, processEnvironment } from './environment.ts'
import type { ConfigSelection } from './selection.ts'

/** Where the service account of a container is, for tests elsewhere than in the file system's root. */
export interface InClusterOptions extends ConfigSelection {
  readonly folder?: string
}

/**
 * How to reach the server of the cluster that this process runs in, as the service account of its container. The token is read
 * again when it changes.
 *
 * @throws StatusError `BadRequest` outside of a cluster.
 */
export async function inClusterConfig({
  environment = processEnvironment(),
  clock = systemClock,
  namespace,
  folder,
}: InClusterOptions = {}): Promise<ConnectionConfig> {
  const address = serverAddress(environment)
  const account = folder ?? (await accountFolder(environment))
  if (address === undefined || account === undefined) {
    const names = localNames().map(({ variablePrefix }) => `${variablePrefix}_SERVICE_HOST`)
    const why = `${names.join(' or ')} and a service account's folder say where the server is`
    throw new StatusError('BadRequest', `this process is in no cluster: there, ${why}`)
  }
  const [token, ca, home] = await Promise.all([
    readPart(join(account, 'token')),
    readPart(join(account, 'ca.crt')),
    readPart(join(account, 'namespace')).catch(() => ''),
  ])
  const paths = { token: join(account, 'token'), ca: join(account, 'ca.crt') }
  const source = credentialFiles({ fixed: {}, paths, texts: { token, ca } }, clock)
  return {
    server: address,
    namespace: namespace ?? (home || 'default'),
    ...('current' in source && { credentials: source }),
    ...(environment[http2Variable] && { http2: false }),
    origin: `service account in ${account}`,
  }
}

/** The folder of the service account, if this process runs in a cluster. */
export async function accountFolder(environment: Environment): Promise<string | undefined> {
  if (serverAddress(environment) === undefined) return undefined
  for (const { accountFolder: folder } of localNames()) {
    const there = await access(join(folder, 'token')).then(
      () => true,
      () => false,
    )
    if (there) return folder
  }
  return undefined
}

function serverAddress(environment: Environment): string | undefined {
  for (const { variablePrefix } of localNames()) {
    const host = environment[`${variablePrefix}_SERVICE_HOST`]
    const port = environment[`${variablePrefix}_SERVICE_PORT`]
    if (host && port) return `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  }
  return undefined
}

async function readPart(path: string): Promise<string> {
  return readCredentialFile(path).catch((cause: unknown) => {
    throw new StatusError('BadRequest', `service account: cannot read ${path}`, { cause })
  })
}
