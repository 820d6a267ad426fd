/** What a context of an orchconfig says, as a connection. */
import type { AuthInfo, Cluster } from '../../generated/config/clientconfig/v1.ts'
import type { ConnectionConfig, Impersonation } from '../client/client.ts'
import { systemClock } from '../kernel/async/clock.ts'
import { didYouMean } from '../kernel/values/spelling.ts'
import { type CredentialFiles, credentialFiles, readCredentialFile } from './credential-files.ts'
import { http2Variable, processEnvironment } from './environment.ts'
import { execCredentials } from './exec-credentials.ts'
import { versionProblem } from './exec-messages.ts'
import { type Entry, type Orchconfig, orchconfigError } from './orchconfig.ts'
import { proxyFromEnvironment } from './proxy-environment.ts'
import type { ConfigSelection } from './selection.ts'

/**
 * The connection that a context describes.
 *
 * @throws StatusError `BadRequest` with the file and the entry that lacks something.
 */
export async function connectionOf(
  config: Orchconfig,
  { context, namespace, environment = processEnvironment(), clock = systemClock }: ConfigSelection,
): Promise<ConnectionConfig> {
  const chosen = chosenEntries(config, context)
  const { cluster, user } = chosen
  checkCluster(cluster)
  checkUser(user)
  const { value: at } = cluster
  const { value: who } = user
  const files = await credentialFilesOf(cluster, user)
  const source = who.exec
    ? execCredentials(who.exec, {
        ...{ file: user.file, user: user.name, files, clock, environment },
        cluster: at,
      })
    : credentialFiles(files, clock)
  const proxy = at['proxy-url'] || proxyFromEnvironment(new URL(at.server), environment)
  const impersonate = impersonationOf(who)
  return {
    server: at.server,
    namespace: namespace ?? (chosen.namespace || 'default'),
    ...('current' in source ? { credentials: source } : source),
    ...(at['insecure-skip-tls-verify'] && { insecure: true }),
    ...(at['tls-server-name'] && { serverName: at['tls-server-name'] }),
    ...(at['disable-compression'] && { compression: false }),
    ...(environment[http2Variable] && { http2: false }),
    ...(proxy && { proxy }),
    ...(impersonate && { impersonate }),
    origin: user.name === '' ? user.file : `user "${user.name}" of ${user.file}`,
  }
}

interface NamedEntry<T> extends Entry<T> {
  readonly name: string
}

interface ContextEntries {
  readonly cluster: NamedEntry<Cluster>
  readonly user: NamedEntry<AuthInfo>
  readonly namespace: string | undefined
}

function chosenEntries(config: Orchconfig, wanted: string | undefined): ContextEntries {
  const { currentContext, contexts, clusters, users, files } = config
  const name = wanted ?? currentContext
  if (name === '') {
    const known = [...contexts.keys()].map((each) => `"${each}"`).join(', ')
    const offer = known === '' ? 'and there are no contexts' : `name one of ${known}`
    throw orchconfigError(files.join(', '), `current-context is not set: ${offer}`)
  }
  const context = entryOf(contexts, 'context', name, files.join(', '))
  const { cluster, user = '', namespace } = context.value
  const nobody = { name: '', file: context.file, value: {} }
  return {
    cluster: entryOf(clusters, 'cluster', cluster ?? '', context.file),
    user: user === '' ? nobody : entryOf(users, 'user', user, context.file),
    namespace,
  }
}

function entryOf<T>(
  entries: ReadonlyMap<string, Entry<T>>,
  what: string,
  name: string,
  file: string,
): NamedEntry<T> {
  const found = entries.get(name)
  if (found !== undefined) return { name, ...found }
  const near = didYouMean(name, entries.keys())
  throw orchconfigError(file, `there is no ${what} named "${name}"${near}`)
}

function checkCluster({ file, name, value }: NamedEntry<Cluster>): void {
  const { server = '' } = value
  const wrong = (why: string) => orchconfigError(file, `cluster "${name}" ${why}`)
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw wrong(`has no http or https server address: server is ${JSON.stringify(server)}`)
  }
  const authority = value['certificate-authority'] || value['certificate-authority-data']
  if (authority && value['insecure-skip-tls-verify']) {
    throw wrong(
      'names a certificate-authority, and says that it is not to be checked: remove either',
    )
  }
}

/** Refuses what would send requests as another user than meant. */
function checkUser({ file, name, value }: NamedEntry<AuthInfo>): void {
  const wrong = (why: string) => orchconfigError(file, `user "${name}" ${why}`)
  const acting = (['as-uid', 'as-groups', 'as-user-extra'] as const).find((key) => value[key])
  if (acting !== undefined && !value.as) {
    throw wrong(`has ${acting} without as: say which user to act as`)
  }
  const plugin = value['auth-provider']
  if (plugin !== undefined) {
    throw wrong(
      `needs the auth-provider "${plugin.name}", a kind of plugin that release 1.26 removed: use exec`,
    )
  }
  if (value.token && (value.username || value.password)) {
    throw wrong('has a token and a username: remove either')
  }
  const { exec } = value
  const version = exec && versionProblem(exec)
  if (version !== undefined) throw wrong(version)
  if (exec?.apiVersion?.endsWith('/v1') && exec.interactiveMode === undefined) {
    throw wrong(
      `needs exec.interactiveMode for ${exec.apiVersion}: one of Never, IfAvailable, Always`,
    )
  }
}

function impersonationOf(user: AuthInfo): Impersonation | undefined {
  if (!user.as) return undefined
  return {
    user: user.as,
    ...(user['as-uid'] && { uid: user['as-uid'] }),
    ...(user['as-groups'] && { groups: user['as-groups'] }),
    ...(user['as-user-extra'] && { extra: user['as-user-extra'] }),
  }
}

/** What is said in the file itself goes before what it says by a path. */
async function credentialFilesOf(
  cluster: NamedEntry<Cluster>,
  user: NamedEntry<AuthInfo>,
): Promise<CredentialFiles> {
  const [at, who] = [cluster.value, user.value]
  const paths = {
    ca: at['certificate-authority-data'] ? undefined : at['certificate-authority'],
    cert: who['client-certificate-data'] ? undefined : who['client-certificate'],
    key: who['client-key-data'] ? undefined : who['client-key'],
    token: who.token ? undefined : who.tokenFile,
  }
  const fields = {
    ca: 'certificate-authority',
    cert: 'client-certificate',
    key: 'client-key',
    token: 'tokenFile',
  }
  const texts: Record<string, string> = {}
  for (const [field, path] of Object.entries(paths)) {
    if (!path) continue
    const { file, name } = field === 'ca' ? cluster : user
    texts[field] = await readCredentialFile(path).catch((cause: unknown) => {
      const what = `${field === 'ca' ? 'cluster' : 'user'} "${name}": cannot read ${path}`
      throw orchconfigError(file, `${what} (${fields[field as keyof typeof fields]})`, cause)
    })
  }
  return {
    fixed: {
      ...pem('ca', at['certificate-authority-data']),
      ...pem('cert', who['client-certificate-data']),
      ...pem('key', who['client-key-data']),
      ...(who.token && { token: who.token }),
      ...(who.username && { username: who.username, password: who.password ?? '' }),
    },
    paths: Object.fromEntries(Object.entries(paths).filter(([, path]) => path)),
    texts,
  }
}

function pem(field: 'ca' | 'cert' | 'key', base64: string | undefined) {
  return base64 ? { [field]: Buffer.from(base64, 'base64').toString('utf8') } : {}
}
