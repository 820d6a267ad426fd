import { readFileSync, statSync } from 'node:fs'

/** A store in tables of a PostgreSQL database, which any number of servers may share. */
export interface PostgresLocation {
  readonly kind: 'postgres'
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`, where several hosts are separated by commas, or `postgres:FILE`, a file
   * with a line `NAME = VALUE` for each parameter. A user, a password and a database that are absent come from PGUSER, PGPASSWORD and
   * PGDATABASE.
   */
  readonly url: string
}

/** A server of the database: a name or address, or the folder of a socket. */
export interface DatabaseHost {
  readonly host: string
  readonly port: number
}

/** What the driver of the database connects with. */
export interface ConnectionSettings extends DatabaseHost {
  readonly user?: string
  readonly password?: string
  readonly database?: string
  readonly application_name?: string
  readonly ssl?: false | TlsSettings
}

/** How the server of the database is verified, and what shows who this one is. */
interface TlsSettings {
  readonly rejectUnauthorized: boolean
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly checkServerIdentity?: () => undefined
}

/** Everything that a URL says. */
export interface PostgresSettings {
  /** With the first of the hosts. */
  readonly connection: ConnectionSettings
  /** Where the database may be. Of several the one is used that can be written. */
  readonly hosts: readonly DatabaseHost[]
  /** The schema that has the tables. */
  readonly schema: string
  /** Most connections for reads, beside one for writes and one for notifications. */
  readonly poolSize: number
  /** Milliseconds that one statement may take. */
  readonly statementTimeoutMs: number
}

const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
type TlsMode = (typeof modes)[number]

/** True for a text that is meant as a location of this driver. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:/.test(text)
}

/** A text without the password in it. */
export function withoutPassword(text: string): string {
  return text
    .replace(/^(postgres(?:ql)?:\/\/[^/?#:@]*:)[^/?#]*@/, '$1***@')
    .replace(/([?&]password=)[^&#]*/g, '$1***')
}

/** @throws Error that says what is wrong with the URL. */
export function readPostgresUrl(text: string): PostgresSettings {
  const file = /^postgres(?:ql)?:(?!\/\/)(.*)$/.exec(text)?.[1]
  return settingsOf(new Parameters(file === undefined ? urlWords(text) : fileWords(file)))
}

function settingsOf(parameters: Parameters): PostgresSettings {
  const hosts = hostsOf(parameters.take('host') || 'localhost', parameters.take('port') || '5432')
  const [first] = hosts as [DatabaseHost]
  const user = parameters.take('user')
  const password = parameters.take('password')
  const database = parameters.take('dbname')
  const attributes = parameters.take('target_session_attrs') ?? 'read-write'
  if (attributes !== 'read-write' && attributes !== 'primary') {
    throw new Error(`has target_session_attrs=${attributes}: must be read-write or primary`)
  }
  const settings = {
    connection: {
      application_name: parameters.take('application_name') ?? 'orch',
      ssl: tlsOf(
        parameters,
        hosts.every(({ host }) => isLocal(host)),
      ),
      ...first,
      ...(user && { user }),
      ...(password && { password }),
      ...(database && { database }),
    },
    hosts,
    schema: schemaName(parameters.take('schema') ?? 'orch'),
    poolSize: wholeNumber('pool_size', parameters.take('pool_size') ?? '4', 1, 1000),
    statementTimeoutMs: wholeNumber(
      'statement_timeout',
      parameters.take('statement_timeout') ?? '30000',
      100,
      3_600_000,
    ),
  }
  parameters.checkAllTaken()
  return settings
}

/** Where a database is, for messages: never with its password. */
export function nameOf({ hosts, connection: { database } }: PostgresSettings): string {
  const place = hosts.map(hostName).join(',')
  return database === undefined ? place : `${place}/${database}`
}

/** A host as messages show it. */
export function hostName({ host, port }: DatabaseHost): string {
  return host.startsWith('/') ? host : `${host}:${port}`
}

/** Names and values. */
type Words = Iterable<readonly [name: string, value: string]>

/** What a URL says, under the names that a file has for it. Of several hosts a URL knows nothing: they are taken out first. */
function* urlWords(text: string): Words {
  const [, before = '', authority = '', after = ''] =
    /^([^/]*\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? []
  const several = authority.includes(',')
  const { hostname, port, username, password, pathname, searchParams } = parseUrl(
    several ? `${before}localhost${after}` : text,
  )
  const pairs = authority.split(',').map((one) => /^(.*?)(?::(\d*))?$/.exec(one) ?? [])
  const words = {
    host: several ? pairs.map(([, host]) => host).join(',') : hostname,
    port: several ? pairs.map(([, , port]) => port || '5432').join(',') : port,
    user: username,
    password,
    dbname: pathname.slice(1),
  }
  for (const [name, value] of Object.entries(words)) {
    if (value !== '') yield [name, decoded(value)]
  }
  yield* searchParams
}

/** The lines `NAME = VALUE` of a file. Empty lines, and those that begin with #, say nothing. */
function* fileWords(file: string): Words {
  for (const [index, line] of readFile('file', file).split('\n').entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const at = text.indexOf('=')
    if (at < 1) throw new Error(`line ${index + 1} of ${file}: must be NAME = VALUE`)
    yield [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  }
}

/** As many ports as hosts, or one for all. */
function hostsOf(hosts: string, ports: string): readonly DatabaseHost[] {
  const [names, numbers] = [hosts.split(','), ports.split(',')]
  if (numbers.length > 1 && numbers.length !== names.length) {
    throw new Error(`has ${names.length} hosts and ${numbers.length} ports`)
  }
  return names.map((host, index) => {
    if (host === '') throw new Error('has an empty host in its list')
    const port = numbers[numbers.length === 1 ? 0 : index] ?? ''
    return { host, port: wholeNumber('port', port, 1, 65_535) }
  })
}

function parseUrl(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new Error('is no URL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error(`has a % that begins no escape: write it as %25`)
  }
}

/** What is said of a database; what is not taken is a mistake. */
class Parameters {
  readonly #values = new Map<string, string>()

  constructor(words: Words) {
    for (const [name, value] of words) {
      if (this.#values.has(name)) throw new Error(`names ${name} twice`)
      this.#values.set(name, value)
    }
  }

  take(name: string): string | undefined {
    const value = this.#values.get(name)
    this.#values.delete(name)
    return value
  }

  checkAllTaken(): void {
    const [unknown] = this.#values.keys()
    if (unknown === undefined) return
    const known =
      'schema, pool_size, statement_timeout, sslmode, sslrootcert, sslcert, sslkey, host, port, user, password, dbname, application_name, target_session_attrs'
    throw new Error(`has an unknown parameter ${unknown}: known are ${known}`)
  }
}

/** Without a word about it, what goes over a network is encrypted and the server verified; what stays on the machine is neither. */
function tlsOf(parameters: Parameters, local: boolean): false | TlsSettings {
  const given = parameters.take('sslmode')
  const mode = given ?? (local ? 'disable' : 'verify-full')
  if (!isMode(mode)) throw new Error(`has sslmode=${mode}: must be ${modes.join(', ')}`)
  const [ca, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => {
    const file = parameters.take(name)
    return file === undefined ? undefined : readFile(name, file)
  })
  if (mode === 'disable') return false
  return {
    rejectUnauthorized: mode !== 'require' || ca !== undefined,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
}

function isMode(text: string): text is TlsMode {
  return modes.includes(text as TlsMode)
}

function isLocal(host: string): boolean {
  return /^(\/.*|localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
}

function readFile(name: string, file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new Error(`has ${name}=${file}, which is no file`)
  }
  return readFileSync(file, 'utf8')
}

function schemaName(text: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(text)) return text
  throw new Error(`has schema=${text}: must be lower-case letters, digits and _`)
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new Error(`has ${name}=${text}: must be a whole number from ${least} to ${most}`)
}
