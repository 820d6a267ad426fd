import { OperatorError } from '../../kernel/errors/operator-error.ts'
import { StoreError } from '../errors.ts'

/** What the driver throws: `code` is an SQLSTATE where the server spoke, and a word of Node's where the socket did. */
export interface DatabaseError extends Error {
  readonly code?: string
  /** `ERROR`, `FATAL` or `PANIC` where the server spoke. */
  readonly severity?: string
}

/** A connection that went without the answer to what was sent last. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/** Why a store is not opened, in words that need no others around them. */
export class OpenError extends OperatorError {
  override readonly name = 'OpenError'
}

/** True if the connection is gone: whether the statement took effect is open. After any other error it did not. */
export function isLost(error: unknown): boolean {
  const { code, severity, name } = error as DatabaseError
  if (name === poolTimeout) return false
  if (severity === undefined || code === undefined) return true
  return severity === 'FATAL' || severity === 'PANIC' || /^(08|57P)/.test(code)
}

/** The name of Knex's error where no connection of the pool was free in time. */
const poolTimeout = 'KnexTimeoutError'

/** By SQLSTATE or Node's word, what an operator can do. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start the database, or correct its address',
  ENOENT: 'start the database, or correct the folder of its socket',
  ENOTFOUND: 'correct the name of its host',
  EAI_AGAIN: 'see why names of hosts are not found now',
  ETIMEDOUT: 'see whether its host is up and what stands in between',
  EHOSTUNREACH: 'see whether its host is up and what stands in between',
  '28P01': 'correct the user or the password, which PGPASSWORD may say as well',
  '28000': 'allow this user and host in pg_hba.conf, or name another user',
  '3D000': 'make it with createdb, or name another one',
  '42883': 'see what orch store doctor says',
  '42P01': 'see what orch store doctor says',
  '42501': 'give the user this right, or name one that has it',
  '25006':
    'it is a standby, or default_transaction_read_only is on: name the primary, or turn that off',
  '53100': 'free some space on its disk',
  '53200': 'give it more memory',
  '53300': 'raise max_connections, or lower pool_size',
  '55P03': 'see in pg_locks who holds the lock',
  '57014': 'see in pg_stat_activity what it waits for, or raise statement_timeout',
  '57P03': 'wait until it has started',
  CERT_HAS_EXPIRED: 'renew the certificate of the database',
  CERT_NOT_YET_VALID: 'see whether the clocks of both machines are right',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'renew the certificate of sslcert',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA:
    'have the certificate of sslcert signed by who the database believes',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'name its authority with sslrootcert=FILE',
  SELF_SIGNED_CERT_IN_CHAIN: 'name its authority with sslrootcert=FILE',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'name its authority with sslrootcert=FILE',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'name its authority with sslrootcert=FILE',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'use the host name of its certificate, or sslmode=verify-ca where the network is trusted',
}

/** What went wrong and what to do about it, in one line. */
export function explained(error: unknown): string {
  const { code, message, name, errors } = error as DatabaseError & { errors?: readonly Error[] }
  // A host with several addresses fails once for each.
  if (name === 'AggregateError' && errors?.[0] !== undefined) return explained(errors[0])
  if (name === poolTimeout) {
    return 'all connections of the pool are in use: raise pool_size, or see what takes so long'
  }
  const text = String(message).replace(/\s+/g, ' ').trim()
  if (/does not support SSL/.test(text)) {
    return `${text}: turn it on there, or give sslmode=disable where the network is trusted`
  }
  const remedy = remedies[code ?? '']
  return remedy === undefined ? text : `${text}: ${remedy}`
}

/** The database does not answer now: what was asked for was not done, and later it may be. */
export function unavailable(where: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const text = `the database at ${where} cannot be used now: ${explained(error)}`
  return Object.assign(new StoreError('Unavailable', text), { cause: error })
}
