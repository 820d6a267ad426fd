import { readFileSync, statSync } from 'node:fs'

/** A store in tables of a PostgreSQL database, which any number of servers may share. */
export interface PostgresLocation {
  readonly kind: 'postgres'
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`. A user, a password and a database that are absent
   * come from PGUSER, PGPASSWORD and PGDATABASE.
   */
  readonly url: string
}

/** What the driver of the database connects with. */
export interface ConnectionSettings {
  readonly host: string
  readonly port: number
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
  readonly connection: ConnectionSettings
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
  const url = parseUrl(text)
  const parameters = new Parameters(url.searchParams)
  const host = decoded(url.hostname) || parameters.take('host') || 'localhost'
  const port = url.port || parameters.take('port')
  const user = decoded(url.username) || parameters.take('user')
  const password = decoded(url.password) || parameters.take('password')
  const database = decoded(url.pathname.slice(1)) || parameters.take('dbname')
  const settings = {
    connection: {
      application_name: parameters.take('application_name') ?? 'orch',
      ssl: tlsOf(parameters, host),
      host,
      port: wholeNumber('port', port || '5432', 1, 65_535),
      ...(user && { user }),
      ...(password && { password }),
      ...(database && { database }),
    },
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
export function nameOf({ connection: { host, port, database } }: PostgresSettings): string {
  const place = host.startsWith('/') ? host : `${host}:${port}`
  return database === undefined ? place : `${place}/${database}`
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

/** What stands behind the question mark; what is not taken is a mistake. */
class Parameters {
  readonly #values = new Map<string, string>()

  constructor(search: URLSearchParams) {
    for (const [name, value] of search) {
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
      'schema, pool_size, statement_timeout, sslmode, sslrootcert, sslcert, sslkey, host, port, user, password, dbname, application_name'
    throw new Error(`has an unknown parameter ${unknown}: known are ${known}`)
  }
}

/** Without a word about it, what goes over a network is encrypted and the server verified; what stays on the machine is neither. */
function tlsOf(parameters: Parameters, host: string): false | TlsSettings {
  const given = parameters.take('sslmode')
  const mode = given ?? (isLocal(host) ? 'disable' : 'verify-full')
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
